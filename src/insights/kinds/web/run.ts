/** Questions of web analytics: facts -> plan -> sql -> run -> answer. */
import { allOf, type Query, type WebQuery, type WebQueryKind } from '../../../contract/queries/index.ts'
import type { WebAnswers } from '../../../contract/results/index.ts'
import { groupBy } from '../../../lib/group-by.ts'
import type { InsightContext, RunOptions } from '../../facts/context.ts'
import type { Facts } from '../../facts/facts.ts'
import { gatherFacts } from '../../facts/gather.ts'
import { type Asked, ROWS_OF_AN_INSIGHT, StatementRunner } from '../../run/statement-runner.ts'
import type { Envelope } from '../../wire/envelope-fields.ts'
import { explainOnWire } from '../../wire/explain.ts'
import { isoInZone } from '../../wire/labels.ts'
import { runEventTable } from './event-table.ts'
import { runExternalClicks } from './external-clicks.ts'
import type { WebFields } from './fields.ts'
import { runGoals } from './goals.ts'
import { runOverview } from './overview.ts'
import { type PlannedWebQuery, planWeb, type WebPlan } from './plan.ts'
import type { SessionQuestion } from './session-question.ts'
import { sessionTable } from './stats-table.ts'
import { answerGroup, sessionsOf } from './together.ts'
import { sessionTotals } from './totals.ts'
import { trends } from './trends.ts'
import { runVitalsByPath } from './vitals.ts'

export type AnsweredHere = PlannedWebQuery

export interface WebAnswer {
  readonly plan: WebPlan
  readonly fields: WebFields<AnsweredHere['kind']>
  readonly asked: readonly Asked[]
}

const KINDS: Readonly<Record<WebQueryKind, true>> = {
  WebOverviewQuery: true,
  WebStatsTableQuery: true,
  WebGoalsQuery: true,
  WebExternalClicksTableQuery: true,
  WebVitalsQuery: true,
  WebVitalsPathBreakdownQuery: true,
  WebTrendsQuery: true,
}

/** Web vitals over time are answered as a trend. */
export const isAnsweredHere = (query: Query): query is AnsweredHere =>
  isWebQuery(query) && query.kind !== 'WebVitalsQuery'

export const isWebQuery = (query: Query): query is WebQuery => Object.hasOwn(KINDS, query.kind)

/** The trend that a question about web vitals holds, with the filters around it. */
export const vitalsTrend = ({ source, properties, bots }: Extract<WebQuery, { kind: 'WebVitalsQuery' }>) => ({
  ...source,
  bots: source.bots ?? bots ?? 'exclude',
  properties: allOf(source.properties, properties),
})

export async function runWeb(
  context: InsightContext,
  query: AnsweredHere,
  options: RunOptions = {},
): Promise<WebAnswer> {
  const runner = new StatementRunner(context.clickhouse, options.signal, ROWS_OF_AN_INSIGHT)
  const facts = await gatherFacts([query], context, runner)
  const plan = planWeb(query, facts)
  return { plan, fields: await fieldsOf(query, plan, facts, runner), asked: runner.asked }
}

/** How to answer each of these questions. Nothing is asked before the first answer is wanted. */
export function webTogether(
  context: InsightContext,
  queries: readonly AnsweredHere[],
  options: RunOptions = {},
): (query: AnsweredHere) => Promise<WebAnswer> {
  const groups = groupBy(queries, sessionsOf)
  const runs = new Map<string, ReturnType<typeof runGroup>>()
  return async (query) => {
    const sessions = sessionsOf(query)
    const group = groups.get(sessions) ?? []
    if (sessions === null || group.length < 2 || !group.includes(query)) return runWeb(context, query, options)
    const run = runs.get(sessions) ?? runGroup(context, group, options)
    runs.set(sessions, run)
    const { answerTo, asked } = await run
    return { ...answerTo(query), asked }
  }
}

async function runGroup(context: InsightContext, group: readonly AnsweredHere[], { signal }: RunOptions) {
  const runner = new StatementRunner(context.clickhouse, signal, ROWS_OF_AN_INSIGHT)
  const facts = await gatherFacts(group, context, runner)
  return { answerTo: await answerGroup(group, facts, runner), asked: runner.asked }
}

function fieldsOf(query: AnsweredHere, plan: WebPlan, facts: Facts, runner: StatementRunner) {
  switch (query.kind) {
    case 'WebOverviewQuery':
      return runOverview(query, plan, runner)
    case 'WebStatsTableQuery': {
      const table = sessionTable(query, plan)
      return table === undefined ? runEventTable(query, plan, runner) : answerOf(table, plan, runner)
    }
    case 'WebGoalsQuery':
      return runGoals(query, plan, facts, runner)
    case 'WebExternalClicksTableQuery':
      return runExternalClicks(query, plan, runner)
    case 'WebVitalsPathBreakdownQuery':
      return runVitalsByPath(query, plan, runner)
    case 'WebTrendsQuery':
      return answerOf(trends(query, plan), plan, runner)
  }
}

const answerOf = async <K extends 'WebStatsTableQuery' | 'WebTrendsQuery'>(
  { parts, answer }: SessionQuestion<K>,
  plan: WebPlan,
  runner: StatementRunner,
) => answer(await sessionTotals(plan, parts, runner))

/** The answer as it is sent. */
export function webEnvelope(
  { plan, fields, asked }: WebAnswer,
  { isCached, lastRefresh, explain }: { isCached: boolean; lastRefresh: number; explain: boolean },
): WebAnswers[AnsweredHere['kind']] {
  const zone = plan.clock.timezone
  const envelope: Envelope = {
    error: null,
    hogql: null,
    modifiers: null,
    query_status: null,
    timings: [{ k: './execute', t: asked.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0) / 1000 }],
    resolved_date_range: { date_from: isoInZone(plan.range.from, zone), date_to: isoInZone(plan.range.to, zone) },
    timezone: zone,
    is_cached: isCached,
    last_refresh: new Date(lastRefresh).toISOString(),
    ...(explain ? { explain: explainOnWire(asked) } : {}),
  }
  // The fields of one of six kinds are one of six answers, which the compiler does not see.
  return { ...fields, ...envelope } as WebAnswers[AnsweredHere['kind']]
}
