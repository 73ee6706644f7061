/** Questions of one moment: those about the same sessions are answered by one statement. */
import type { InsightContext, RunOptions } from '../../facts/context.ts'
import { gatherFacts } from '../../facts/gather.ts'
import { ROWS_OF_AN_INSIGHT, StatementRunner } from '../../run/statement-runner.ts'
import { overview } from './overview.ts'
import { planWeb, type WebPlan } from './plan.ts'
import { type AnsweredHere, runWeb, type WebAnswer } from './run.ts'
import type { SessionQuestion } from './session-question.ts'
import { isBySessions, sessionTable } from './stats-table.ts'
import { sessionTotals } from './totals.ts'
import { trends } from './trends.ts'

/** How to answer each of these questions. Nothing is asked before the first answer is wanted. */
export function webTogether(
  context: InsightContext,
  queries: readonly AnsweredHere[],
  options: RunOptions = {},
): (query: AnsweredHere) => Promise<WebAnswer> {
  const groups = new Map<string, AnsweredHere[]>()
  for (const query of queries) {
    const key = sessionsOf(query)
    if (key !== null) groups.set(key, [...(groups.get(key) ?? []), query])
  }
  const runs = new Map<string, Promise<(query: AnsweredHere) => WebAnswer>>()
  return async (query) => {
    const key = sessionsOf(query)
    const group = key === null ? [] : (groups.get(key) ?? [])
    if (key === null || group.length < 2 || !group.includes(query)) return runWeb(context, query, options)
    const run = runs.get(key) ?? runGroup(context, group, options)
    runs.set(key, run)
    return (await run)(query)
  }
}

/** Which sessions a question is about; null when it has to be asked by itself. */
function sessionsOf(query: AnsweredHere): string | null {
  const isAlone =
    query.kind === 'WebOverviewQuery'
      ? query.includeLive
      : query.kind === 'WebTrendsQuery'
        ? // Longer and shorter intervals begin at another moment than days.
          query.interval !== 'day'
        : query.kind !== 'WebStatsTableQuery' || !isBySessions(query)
  if (isAlone) return null
  const { dateRange, properties, compareFilter, filterTestAccounts, doPathCleaning, conversionGoal, bots } = query
  const goal = query.kind === 'WebTrendsQuery' ? undefined : conversionGoal
  return JSON.stringify([dateRange, properties, compareFilter, filterTestAccounts, doPathCleaning, goal, bots])
}

async function runGroup(
  context: InsightContext,
  group: readonly AnsweredHere[],
  { signal }: RunOptions,
): Promise<(query: AnsweredHere) => WebAnswer> {
  const runner = new StatementRunner(context.clickhouse, signal, ROWS_OF_AN_INSIGHT)
  const facts = await gatherFacts(group, context, runner)
  const asked = group.map((query) => {
    try {
      const plan = planWeb(query, facts)
      return { query, plan, question: sessionQuestion(query, plan) }
    } catch (error) {
      return { query, error }
    }
  })
  const planned = asked.flatMap((each) => ('plan' in each && each.question ? [{ ...each, question: each.question }] : []))
  const [first] = planned
  const parts = planned.flatMap(({ question }) => question.parts)
  const rows = first === undefined ? [] : await sessionTotals(first.plan, parts, runner)
  let next = 0
  const answers = new Map<AnsweredHere, WebAnswer>()
  for (const { query, plan, question } of planned) {
    const fields = question.answer(rows.slice(next, next + question.parts.length))
    next += question.parts.length
    answers.set(query, { plan, fields, asked: runner.asked })
  }
  return (query) => {
    const answer = answers.get(query)
    if (answer !== undefined) return answer
    const failed = asked.find((each) => each.query === query)
    throw failed && 'error' in failed ? failed.error : new Error('a question was not part of its group')
  }
}

/** A question that sessions answer by themselves. */
export function sessionQuestion(
  query: AnsweredHere,
  plan: WebPlan,
): SessionQuestion<'WebOverviewQuery' | 'WebStatsTableQuery' | 'WebTrendsQuery'> | undefined {
  switch (query.kind) {
    case 'WebOverviewQuery':
      return overview(plan)
    case 'WebStatsTableQuery':
      return sessionTable(query, plan)
    case 'WebTrendsQuery':
      return trends(query, plan)
    default:
      return undefined
  }
}
