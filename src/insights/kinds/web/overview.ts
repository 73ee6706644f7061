import type { WebOverviewQuery } from '../../../contract/queries/index.ts'
import type { WebOverviewItem } from '../../../contract/results/index.ts'
import { type Fragment, join, moment, sql } from '../../../engines/clickhouse-sql.ts'
import { DAY, MINUTE } from '../../../lib/durations.ts'
import type { Asker } from './asker.ts'
import type { WebFields } from './fields.ts'
import type { WebPlan } from './plan.ts'
import { both, sessionRows } from './session-rows.ts'

type Key = WebOverviewItem['key']
type Row = Readonly<Record<string, number | null>> & {
  readonly bot_sessions: number
  readonly bot_views: number
  readonly bot_reasons: Readonly<Record<string, number>>
}

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

function overviewStatement(plan: WebPlan): Fragment {
  const counts = plan.bots === 'exclude'
  const counted = (when: Fragment) => (counts ? sql`${when} AND NOT is_bot` : when)
  const columns = [
    both('visitors', (when) => sql`uniqExactArrayIf(persons, ${counted(when)})`),
    both('views', (when) => sql`sumIf(page_count, ${counted(when)})`),
    both('sessions', (when) => sql`countIf(${counted(when)})`),
    both('duration', (when) => sql`avgOrNullIf(lasted, ${counted(when)})`),
    both('bounces', (when) => sql`countIf(is_bounce AND ${counted(when)})`),
    ...(plan.goal === undefined
      ? []
      : [
          both('conversions', (when) => sql`sumIf(goal_count, ${counted(when)})`),
          both('converted', (when) => sql`uniqExactArrayIf(goal_persons, ${counted(when)})`),
        ]),
    sql`countIf(is_bot AND is_current) AS bot_sessions`,
    sql`sumIf(page_count, is_bot AND is_current) AS bot_views`,
    sql`sumMapIf(map(bot_reason, toUInt64(1)), is_bot AND is_current) AS bot_reasons`,
  ]
  return sql`SELECT ${join(columns, ', ')} FROM (${sessionRows(plan, { withBots: counts })})`
}

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
  const live = includeLive ? await liveVisitors(plan, runner) : null
  const [row] = await runner.ask<Row>(overviewStatement(plan))
  const value = (name: string): number | null => row?.[name] ?? null
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
        return value(`conversions${suffix}`) ?? 0
      case 'unique conversions':
        return value(`converted${suffix}`) ?? 0
      case 'conversion rate':
        return rate('converted', 'visitors', suffix)
    }
  }
  const results = (plan.goal === undefined ? WITHOUT_GOAL : WITH_GOAL).map((key): WebOverviewItem => {
    const now = read(key, '')
    const before = plan.previous === undefined ? null : read(key, '_before')
    return { key, ...ITEMS[key], value: now, previous: before, changeFromPreviousPct: changeOf(now, before) }
  })
  const hidden =
    plan.bots !== 'exclude'
      ? null
      : {
          sessions: row?.bot_sessions ?? 0,
          views: row?.bot_views ?? 0,
          reasons: Object.fromEntries(Object.entries(row?.bot_reasons ?? {}).map(([name, n]) => [name || 'other', n])),
        }
  return { results, hidden_bots: hidden, live_visitors: live }
}

/** In per cent; none when there was nothing before. */
const changeOf = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : Math.round(((now - before) / before) * 100)
