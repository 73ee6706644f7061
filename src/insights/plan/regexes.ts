/** Which of the regular expressions in a question the engine cannot read: asked beforehand, because one of them would fail the whole statement. */
import { ClickHouseFailure, sql, str } from '../../engines/clickhouse/index.ts'
import type { Conversation } from '../engine.ts'
import type { PropertyFilter } from '../parse/property-filters.ts'

const CANNOT_COMPILE_REGEXP = 427
const BAD_ARGUMENTS = 36

/** Of a whole question, or of any part of it: filters may stand anywhere in it. */
export const invalidRegexes = (asked: unknown, conversation: Conversation): Promise<ReadonlySet<string>> =>
  invalidPatterns(regexesIn(asked), conversation)

export async function invalidPatterns(
  patterns: readonly string[],
  conversation: Conversation,
): Promise<ReadonlySet<string>> {
  const invalid = new Set<string>()
  for (const pattern of new Set(patterns)) if (!(await isValid(pattern, conversation))) invalid.add(pattern)
  return invalid
}

function regexesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  if (isRegexFilter(node)) return [...node.values]
  return Object.values(node).flatMap(regexesIn)
}

const isRegexFilter = (node: Partial<PropertyFilter>): node is PropertyFilter =>
  node.kind === 'property' && (node.operator === 'regex' || node.operator === 'not_regex')

async function isValid(pattern: string, conversation: Conversation): Promise<boolean> {
  try {
    await conversation.ask(sql`SELECT match(materialize(''), ${str(pattern)})`)
    return true
  } catch (error) {
    const refused = error instanceof ClickHouseFailure && [CANNOT_COMPILE_REGEXP, BAD_ARGUMENTS].includes(error.code)
    if (refused) return false
    throw error
  }
}
