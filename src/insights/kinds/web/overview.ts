import type { WebOverviewQuery } from '../../../contract/queries/index.ts'
import type { HiddenBots, WebOverviewItem } from '../../../contract/results/index.ts'
import { moment, sql } from '../../../engines/clickhouse-sql.ts'
import { DAY, MINUTE } from '../../../lib/durations.ts'
import type { Asker } from './asker.ts'
import type { WebFields } from './fields.ts'
import type { WebPlan } from './plan.ts'
import type { SessionQuestion } from './session-question.ts'
import { sessionRows } from './session-rows.ts'
import { numberOf, type TableRow } from './table.ts'
import { type Measure, type Part, sessionTotals } from './totals.ts'

type Key = WebOverviewItem['key']
const ITEMS: Readonly<Record<Key, Pick<WebOverviewItem, 'kind' | 'isIncreaseBad'>>> = {
  visitors: { kind: 'unit' },
  views: { kind: 'unit' },
  sessions: { kind: 'unit' },
  'session duration': { kind: 'duration_s' },
  'bounce rate': { kind: 'percentage', isIncreaseBad: true },
  'total conversions': { kind: 'unit' },
  'unique conversions': { kind: 'unit' },
  'conversion rate': { kind: 'percentage' },
}
const WITHOUT_GOAL: readonly Key[] = ['visitors', 'views', 'sessions', 'session duration', 'bounce rate']
const WITH_GOAL: readonly Key[] = ['visitors', 'total conversions', 'unique conversions', 'conversion rate']

/** Whoever was seen lately: sessions that had an event in these minutes. */
const LIVE_MS = 5 * MINUTE

async function liveVisitors(plan: WebPlan, runner: Asker): Promise<number> {
  const { now } = plan.clock
  const today: WebPlan = {
    ...plan,
    goal: undefined,
    previous: undefined,
    range: { ...plan.range, from: now - DAY, to: now },
  }
  const [row] = await runner.ask<{ visitors: number }>(sql`SELECT uniqExactArray(persons) AS visitors
    FROM (${sessionRows(today)}) WHERE addSeconds(start_at, lasted) >= ${moment(now - LIVE_MS)}`)
  return row?.visitors ?? 0
}

export async function runOverview(
  { includeLive }: Pick<WebOverviewQuery, 'includeLive'>,
  plan: WebPlan,
  runner: Asker,
): Promise<WebFields<'WebOverviewQuery'>> {
  const { parts, answer } = overview(plan)
  const live = includeLive ? await liveVisitors(plan, runner) : null
  return { ...answer(await sessionTotals(plan, parts, runner)), live_visitors: live }
}

/** All sessions, and the bots that are left out by why they are known to be bots. */
export function overview(plan: WebPlan): SessionQuestion<'WebOverviewQuery'> {
  const measures: readonly Measure[] =
    plan.goal === undefined
      ? ['visitors', 'views', 'sessions', 'duration', 'bounces']
      : ['visitors', 'total_conversions', 'unique_conversions']
  const hidden: Part = { by: (of) => of('$bot_reason'), measures: ['hidden_sessions', 'hidden_views'] }
  return {
    parts: plan.bots === 'exclude' ? [{ measures }, hidden] : [{ measures }],
    answer: ([all = [], bots = []]) => ({
      results: itemsOf(plan, all[0]),
      hidden_bots: plan.bots === 'exclude' ? hiddenBots(bots) : null,
      live_visitors: null,
    }),
  }
}

function itemsOf(plan: WebPlan, row: TableRow | undefined): WebOverviewItem[] {
  const value = (name: string): number | null => numberOf(row?.[name])
  const rate = (part: string, of: string, suffix: string) => {
    const all = value(`${of}${suffix}`)
    return all ? ((value(`${part}${suffix}`) ?? 0) / all) * 100 : null
  }
  const read = (key: Key, suffix: '' | '_before'): number | null => {
    switch (key) {
      case 'visitors':
      case 'views':
      case 'sessions':
        return value(`${key}${suffix}`) ?? 0
      case 'session duration':
        return value(`duration${suffix}`)
      case 'bounce rate':
        return rate('bounces', 'sessions', suffix)
      case 'total conversions':
        return value(`total_conversions${suffix}`) ?? 0
      case 'unique conversions':
        return value(`unique_conversions${suffix}`) ?? 0
      case 'conversion rate':
        return rate('unique_conversions', 'visitors', suffix)
    }
  }
  return (plan.goal === undefined ? WITHOUT_GOAL : WITH_GOAL).map((key): WebOverviewItem => {
    const now = read(key, '')
    const before = plan.previous === undefined ? null : read(key, '_before')
    return { key, ...ITEMS[key], value: now, previous: before, changeFromPreviousPct: changeOf(now, before) }
  })
}

function hiddenBots(rows: readonly TableRow[]): HiddenBots {
  const count = (row: TableRow, name: string) => numberOf(row[name]) ?? 0
  const found = rows.filter((row) => count(row, 'hidden_sessions') > 0)
  const sum = (name: string) => found.reduce((all, row) => all + count(row, name), 0)
  return {
    sessions: sum('hidden_sessions'),
    views: sum('hidden_views'),
    reasons: Object.fromEntries(found.map((row) => [row.label || 'other', count(row, 'hidden_sessions')])),
  }
}

/** In per cent; none when there was nothing before. */
const changeOf = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : Math.round(((now - before) / before) * 100)
