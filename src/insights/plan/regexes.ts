/** Which of the regular expressions in a question the engine cannot read: asked beforehand, because one of them would fail the whole statement. */
import { ClickHouseFailure, sql, str } from '../../engines/clickhouse/index.ts'
import type { Conversation } from '../engine.ts'
import type { PropertyFilter, PropertyGroup } from '../parse/property-filters.ts'

const CANNOT_COMPILE_REGEXP = 427
const BAD_ARGUMENTS = 36

export async function invalidRegexes(
  groups: readonly PropertyGroup[],
  conversation: Conversation,
): Promise<ReadonlySet<string>> {
  return invalidPatterns(groups.flatMap(regexesIn), conversation)
}

export async function invalidPatterns(
  patterns: readonly string[],
  conversation: Conversation,
): Promise<ReadonlySet<string>> {
  const invalid = new Set<string>()
  for (const pattern of new Set(patterns)) if (!(await isValid(pattern, conversation))) invalid.add(pattern)
  return invalid
}

const regexesIn = (node: PropertyGroup | PropertyFilter): string[] => {
  if (node.kind === 'group') return node.values.flatMap(regexesIn)
  return node.operator === 'regex' || node.operator === 'not_regex' ? [...node.values] : []
}

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
