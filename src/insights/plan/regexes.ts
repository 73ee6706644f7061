/** Which of the regular expressions in a question the engine cannot read: asked beforehand, because one of them would fail the whole statement. */
import { ClickHouseFailure, ident, join, sql, str } from '../../engines/clickhouse/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { Conversation } from '../engine.ts'
import type { PropertyFilter } from '../parse/property-filters.ts'
import { refuseHeavyPattern } from '../pattern-weight.ts'

const CANNOT_COMPILE_REGEXP = 427
const BAD_ARGUMENTS = 36
const MOST_PATTERNS = 100

/** Of a whole question, or of any part of it: filters may stand anywhere in it. */
export const invalidRegexes = (asked: unknown, conversation: Conversation): Promise<ReadonlySet<string>> =>
  invalidPatterns(regexesIn(asked), conversation)

export async function invalidPatterns(
  patterns: readonly string[],
  conversation: Conversation,
): Promise<ReadonlySet<string>> {
  const different = [...new Set(patterns)]
  if (different.length === 0) return new Set()
  if (different.length > MOST_PATTERNS)
    throw new ApiError(
      'invalid_input',
      `The question holds ${different.length} regular expressions; the limit is ${MOST_PATTERNS}: join several with | into one.`,
      { attr: 'properties' },
    )
  for (const pattern of different) refuseHeavyPattern(pattern, 'properties')
  conversation.admitPatterns()
  if (await areValid(different, conversation)) return new Set()
  const invalid = new Set<string>()
  for (const pattern of different) if (!(await areValid([pattern], conversation))) invalid.add(pattern)
  return invalid
}

function regexesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  if (isRegexFilter(node)) return [...node.values]
  return Object.values(node).flatMap(regexesIn)
}

const isRegexFilter = (node: Partial<PropertyFilter>): node is PropertyFilter =>
  node.kind === 'property' && (node.operator === 'regex' || node.operator === 'not_regex')

async function areValid(patterns: readonly string[], conversation: Conversation): Promise<boolean> {
  const matched = patterns.map((pattern, i) => sql`match(materialize(''), ${str(pattern)}) AS ${ident(`m${i}`)}`)
  try {
    await conversation.ask(sql`SELECT ${join(matched, ', ')}`)
    return true
  } catch (error) {
    const refused = error instanceof ClickHouseFailure && [CANNOT_COMPILE_REGEXP, BAD_ARGUMENTS].includes(error.code)
    if (refused) return false
    throw error
  }
}
