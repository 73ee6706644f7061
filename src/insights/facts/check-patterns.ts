/**
 * Whether the regular expressions in a question can be read. The engine is asked, because only it knows which of RE2's patterns its build
 * takes; it is asked before the question itself, where one bad pattern would fail the whole statement without saying which.
 */

import { type PropertyFilter, placeOf } from '../../contract/queries/index.ts'
import { ClickHouseFailure, ident, join, sql, str } from '../../engines/clickhouse/index.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import { refuseHeavyPattern } from '../plan/pattern-weight.ts'
import { refuseOversized } from '../plan/question-size.ts'
import type { Conversation } from '../run/statement-runner.ts'

const CANNOT_COMPILE_REGEXP = 427
const BAD_ARGUMENTS = 36
const MOST_PATTERNS = 100

export interface Pattern {
  readonly pattern: string
  /** Where it was sent. */
  readonly path: Path
  /** The property it is about. */
  readonly key?: string
}

/**
 * Of a whole question, or of any part of it: filters may stand anywhere in it. `path` is where that part was sent; null when its filters
 * know their whole place.
 */
export async function checkPatterns(asked: unknown, conversation: Conversation, path: Path | null = []): Promise<void> {
  refuseOversized(asked)
  await refuseInvalid(patternsIn(asked, path), conversation)
}

export async function refuseInvalid(patterns: readonly Pattern[], conversation: Conversation): Promise<void> {
  const different = [...new Map(patterns.toReversed().map((each) => [each.pattern, each])).values()].reverse()
  const [first] = different
  if (!first) return
  if (different.length > MOST_PATTERNS)
    throw new InvalidQuery(
      `The question holds ${different.length} regular expressions; the limit is ${MOST_PATTERNS}: join several with | into one.`,
      first.path,
    )
  for (const each of different) refuseHeavyPattern(each.pattern, each.path)
  conversation.admitPatterns()
  if (await areValid(different, conversation)) return
  for (const each of different) if (!(await areValid([each], conversation))) throw notAPattern(each)
}

export function notAPattern(each: Pattern): InvalidQuery {
  const { pattern, key } = each
  const whose = key === undefined ? '' : ` for "${key}"`
  return new InvalidQuery(
    `The pattern ${JSON.stringify(pattern.slice(0, 200))}${whose} is not a regular expression (RE2): send one that is, ` +
      'such as "^/pricing", or the operator icontains for a plain text.',
    each.path,
  )
}

/** A filter knows where it stood in its properties; where those stand is where the walk met them. */
export function patternsIn(node: unknown, path: Path | null, inGroup = false): Pattern[] {
  if (typeof node !== 'object' || node === null) return []
  if (isRegexFilter(node)) {
    const at = [...(path ?? []), ...(placeOf(node) ?? []), 'value']
    return node.values.map((pattern) => ({ pattern, path: at, key: node.key }))
  }
  const isGroup = inGroup || (node as { kind?: unknown }).kind === 'group'
  return Object.entries(node).flatMap(([key, value]) =>
    patternsIn(value, path === null || isGroup ? path : [...path, key], isGroup),
  )
}

const isRegexFilter = (node: Partial<PropertyFilter>): node is PropertyFilter =>
  node.kind === 'property' && (node.operator === 'regex' || node.operator === 'not_regex')

async function areValid(patterns: readonly Pattern[], conversation: Conversation): Promise<boolean> {
  const matched = patterns.map(({ pattern }, i) => sql`match(materialize(''), ${str(pattern)}) AS ${ident(`m${i}`)}`)
  try {
    await conversation.ask(sql`SELECT ${join(matched, ', ')}`)
    return true
  } catch (error) {
    const refused = error instanceof ClickHouseFailure && [CANNOT_COMPILE_REGEXP, BAD_ARGUMENTS].includes(error.code)
    if (refused) return false
    throw error
  }
}
