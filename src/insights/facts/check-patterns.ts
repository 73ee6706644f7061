/**
 * Whether the regular expressions in a question can be read. The engine is asked, because only it knows which of RE2's
 * patterns its build takes; it is asked before the question itself, where one bad pattern would fail the whole
 * statement without saying which.
 */

import { ClickHouseFailure } from '../../engines/clickhouse/index.ts'
import { ident, join, sql, str } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import { refuseHeavyPattern } from '../plan/pattern-weight.ts'
import { notAPattern, type Pattern, patternsIn } from '../plan/patterns.ts'
import { refuseOversized } from '../plan/question-size.ts'
import type { StatementRunner } from '../run/statement-runner.ts'

const CANNOT_COMPILE_REGEXP = 427
const BAD_ARGUMENTS = 36
const MOST_PATTERNS = 100

/**
 * Of a whole question, or of any part of it: filters may stand anywhere in it. `path` is where that part was sent; null
 * when its filters know their whole place.
 */
export async function checkPatterns(asked: unknown, runner: StatementRunner, path: Path | null = []): Promise<void> {
  refuseOversized(asked)
  await refuseInvalid(patternsIn(asked, path), runner)
}

/** The same of one pattern that stands by itself. */
export const refusePattern = (pattern: string, path: Path, runner: StatementRunner): Promise<void> =>
  refuseInvalid([{ pattern, path }], runner)

export async function refuseInvalid(patterns: readonly Pattern[], runner: StatementRunner): Promise<void> {
  const different = [...new Map(patterns.toReversed().map((each) => [each.pattern, each])).values()].reverse()
  const [first] = different
  if (!first) return
  if (different.length > MOST_PATTERNS)
    throw new InvalidQuery(
      `The question holds ${different.length} regular expressions; the limit is ${MOST_PATTERNS}: join several with | into one.`,
      first.path,
    )
  for (const each of different) refuseHeavyPattern(each.pattern, each.path)
  runner.admitPatterns()
  if (await areValid(different, runner)) return
  for (const each of different) if (!(await areValid([each], runner))) throw notAPattern(each)
}

async function areValid(patterns: readonly Pattern[], runner: StatementRunner): Promise<boolean> {
  const matched = patterns.map(({ pattern }, i) => sql`match(materialize(''), ${str(pattern)}) AS ${ident(`m${i}`)}`)
  try {
    await runner.ask(sql`SELECT ${join(matched, ', ')}`)
    return true
  } catch (error) {
    const refused = error instanceof ClickHouseFailure && [CANNOT_COMPILE_REGEXP, BAD_ARGUMENTS].includes(error.code)
    if (refused) return false
    throw error
  }
}
