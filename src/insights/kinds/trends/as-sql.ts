/** A trend as SQL that people read: one column a series where that is enough, else one row a number. */

import { DAY } from '../../../lib/durations.ts'
import {
  type CohortPart,
  cohortParts,
  EVERYBODY,
  labelNames,
  type ShownLabels,
  shownLabels,
  titleOf,
} from '../../as-sql/breakdown.ts'
import {
  actorOf,
  anyOf,
  hasActor,
  inBrackets,
  nameParts,
  planConditions,
  seriesParts,
} from '../../as-sql/conditions.ts'
import { aggregate, simpleMeasure } from '../../as-sql/measures.ts'
import { columns, from, named, notInSql, quoted, together, unique, where } from '../../as-sql/text.ts'
import { moment, startOf, until, within } from '../../as-sql/time.ts'
import type { DateRange } from '../../plan/date-range.ts'
import type { Period, TrendSeriesPlan, TrendsPlan } from './plan.ts'
import type { TrendsResult } from './result.ts'

export function trendsSql(result: TrendsResult): string {
  const { plan } = result
  const { trendsFilter } = plan.query
  if (result.series.some(({ formula }) => formula !== undefined)) notInSql('It has a formula over its series.')
  if ((trendsFilter?.smoothingIntervals ?? 1) > 1)
    notInSql('It is smoothed: the mean also counts intervals in which nothing happened, which have no rows in SQL.')
  return wide(plan) ?? long(result)
}

const bucketOf = (plan: TrendsPlan, { interval }: DateRange, time = 'timestamp'): string[] =>
  plan.totalValue ? [] : [`${startOf(interval, time, plan.clock)} AS ${interval}`]

/** A column for each series. */
function wide(plan: TrendsPlan): string | undefined {
  if (plan.breakdown !== undefined || plan.compare || plan.cumulative) return undefined
  const measures = plan.series.map(({ math, node }) => (math === 'hogql' ? undefined : simpleMeasure(math, node, plan)))
  if (measures.length === 0 || measures.includes(undefined)) return undefined
  const nodes = plan.series.map(({ node }) => node)
  const names = unique(nodes.map(titleOf))
  const bucket = bucketOf(plan, plan.range)
  const counted = measures.map((measure, at) => {
    const fits = inBrackets([...seriesParts(nodes[at] as (typeof nodes)[number], plan), ...(measure?.conditions ?? [])])
    // What a single series asks of an event stands below, once.
    return `${measure?.over(nodes.length === 1 ? undefined : fits)} AS ${named(names[at] ?? '')}`
  })
  const [only] = nodes
  const conditions =
    nodes.length === 1 && only ? [...seriesParts(only, plan), ...(measures[0]?.conditions ?? [])] : anyOf(nodes, plan)
  const statement = `SELECT${columns([...bucket, ...counted])}
FROM events${where([...within(plan.range, plan.clock), ...conditions, ...planConditions(plan)])}`
  return plan.totalValue ? statement : together([`${statement}\nGROUP BY 1`], '1')
}

/** A row for each number, with the series, the period and the values of the breakdown in columns of their own. */
function long(result: TrendsResult): string {
  const { plan } = result
  const several = plan.series.length > 1
  const names = unique(plan.series.map(({ node }) => titleOf(node)))
  const parts = cohortParts(plan.breakdown).flatMap((cohort) =>
    plan.periods.flatMap((period) =>
      plan.series.map((series, at) => {
        const columns = [
          ...(several ? [`${quoted(names[at] ?? '')} AS series`] : []),
          ...(plan.compare ? [`${quoted(period.label)} AS period`] : []),
          ...cohort.columns,
        ]
        const answered = result.series
          .filter(({ index, period: { label } }) => index === series.index && label === period.label)
          .map(({ labels }) => labels ?? [])
        const shown = shownLabels(plan.breakdown, answered)
        return part({ plan, series, period, shown, cohort: { ...cohort, columns } })
      }),
    ),
  )
  const keys = (several ? 1 : 0) + (plan.compare ? 1 : 0) + (plan.breakdown?.names ? 1 : 0)
  const values = plan.breakdown?.parts.length ?? 0
  const all = Array.from({ length: keys + values + (plan.totalValue ? 0 : 1) }, (_, at) => at + 1)
  return together(parts, plan.totalValue ? `${all.length + 1} DESC` : all.join(', '))
}

interface Part {
  readonly plan: TrendsPlan
  readonly series: TrendSeriesPlan
  readonly period: Period
  readonly shown: ShownLabels
  readonly cohort: CohortPart
}

function part(asked: Part): string {
  const { plan, series, period } = asked
  const { math, node } = series
  const measure = simpleMeasure(math, node, plan)
  if (measure && plan.cumulative) return running(asked)
  if (measure) return grouped(asked, measure.over(), measure.conditions)
  if (plan.cumulative) notInSql('It adds up a number over time that cannot be added up in a few lines.')
  if (math === 'weekly_active' || math === 'monthly_active') return active(asked, math === 'weekly_active' ? 7 : 30)
  if (math.startsWith('first_')) return firstTime(asked)
  if (math.endsWith('_count_per_actor'))
    return inTwoSteps(asked, math.replace('_count_per_actor', ''), {
      key: actorOf(plan.groupIndex),
      value: 'count()',
      conditions: hasActor(plan.groupIndex),
    })
  if (node.math_property === '$session_duration')
    return inTwoSteps(asked, math, {
      key: '$session_id',
      value: 'any(toFloat(toString(session.$session_duration)))',
      conditions: ["$session_id != ''"],
    })
  return notInSql(
    `The number "${math}" of ${period.label === 'current' ? 'a series' : 'the earlier period'} has no short form.`,
  )
}

const conditionsOf = ({ plan, series, period, shown, cohort }: Part, range: DateRange = period.range): string[] => [
  ...within(range, plan.clock),
  ...seriesParts(series.node, plan),
  ...planConditions(plan),
  ...cohort.conditions,
  ...shown.conditions,
]

/** Columns by their numbers, for GROUP BY: constants need not be there. */
const groupBy = (before: number, keys: number): string =>
  keys === 0 ? '' : `\nGROUP BY ${Array.from({ length: keys }, (_, at) => before + at + 1).join(', ')}`

/** Constants, the time, the values of the breakdown, the number. */
function grouped(asked: Part, value: string, conditions: readonly string[], range = asked.period.range): string {
  const { plan, shown, cohort } = asked
  const keys = [...bucketOf(plan, asked.period.range), ...shown.columns]
  return `SELECT${columns([...cohort.columns, ...keys, `${value} AS value`])}
FROM events${where([...conditionsOf(asked, range), ...conditions])}${groupBy(cohort.columns.length, keys.length)}`
}

/** The names of what a query inside selects. */
const keysOf = ({ plan, period }: Part): string[] => [
  ...(plan.totalValue ? [] : [period.range.interval]),
  ...labelNames(plan.breakdown),
]

interface Inner {
  readonly key: string
  readonly value: string
  readonly conditions: readonly string[]
}

/** First a value for each key (person, session), then an aggregate over those. */
function inTwoSteps(asked: Part, math: string, { key, value, conditions }: Inner): string {
  const { plan, shown, cohort, period } = asked
  const inner = [...bucketOf(plan, period.range), ...shown.columns]
  const keys = keysOf(asked)
  return `SELECT${columns([...cohort.columns, ...keys, `${aggregate(math, 'of_each')} AS value`])}
${from(`SELECT${columns([...inner, `${key} AS who`, `${value} AS of_each`])}
FROM events${where([...conditionsOf(asked), ...conditions])}${groupBy(0, inner.length + 1)}`)}${groupBy(cohort.columns.length, keys.length)}`
}

/** Numbers added up from interval to interval; persons count in the first that saw them. */
function running(asked: Part): string {
  const { plan, series, cohort, shown, period } = asked
  const { math, node } = series
  const labels = labelNames(plan.breakdown)
  const { interval } = period.range
  const partition = labels.length === 0 ? '' : `PARTITION BY ${labels.join(', ')} `
  const sum = `sum(value) OVER (${partition}ORDER BY ${interval} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far`
  const plain = { ...asked, cohort: { ...EVERYBODY, conditions: cohort.conditions } }
  const select = (inner: string) => `SELECT${columns([...cohort.columns, interval, ...labels, sum])}\n${from(inner)}`
  const isAdded = math === 'total' || math === 'sum'
  if (isAdded) return select(grouped(plain, simpleMeasure(math, node, plan)?.over() ?? 'count()', []))
  if (math !== 'dau' && math !== 'unique_group')
    notInSql('It adds up a number over time that cannot be added up in a few lines.')
  const group = math === 'dau' ? plan.groupIndex : (node.math_group_type_index ?? 0)
  const first = `SELECT${columns([...shown.columns, `${actorOf(group)} AS who`, `min(${startOf(interval, 'timestamp', plan.clock)}) AS ${interval}`])}
FROM events${where([...conditionsOf(plain), ...hasActor(group)])}${groupBy(0, labels.length + 1)}`
  return select(
    `SELECT${columns([interval, ...labels, 'count() AS value'])}\n${from(first)}${groupBy(0, labels.length + 1)}`,
  )
}

/** Each event keeps its person active for a week or thirty days. */
function active(asked: Part, days: number): string {
  const { plan, period, cohort, shown } = asked
  const { range } = period
  const who = actorOf(plan.groupIndex)
  const present = hasActor(plan.groupIndex)
  if (plan.totalValue) return grouped(asked, `uniqExact(${who})`, present, { ...range, from: range.to - days * DAY })
  const slides = range.interval === 'day' || range.interval === 'hour' || (range.interval === 'week' && days === 30)
  if (!slides && range.interval !== 'minute' && range.interval !== 'second')
    return grouped(asked, `uniqExact(${who})`, present)
  if (range.interval !== 'day') notInSql(`Who is active in the last ${days} days is counted by ${range.interval}.`)
  const day = startOf('day', 'timestamp - toIntervalMicrosecond(1)', plan.clock)
  const labels = labelNames(plan.breakdown)
  const inner = `SELECT DISTINCT${columns([`arrayJoin(arrayMap(later -> addDays(${day}, later), range(0, ${days}))) AS day`, ...shown.columns, `${who} AS who`])}
FROM events${where([...conditionsOf(asked, { ...range, from: range.from - days * DAY }), ...present])}`
  const shownDays = [
    `day >= ${moment(range.from, plan.clock)}`,
    `day < ${moment(Math.floor(range.to) + 1, plan.clock)}`,
  ]
  return `SELECT${columns([...cohort.columns, 'day', ...labels, 'count() AS value'])}
${from(inner)}${where(shownDays)}${groupBy(cohort.columns.length, 1 + labels.length)}`
}

/** Each person counts where its first event falls, when that fits. */
function firstTime(asked: Part): string {
  const { plan, series, period, cohort, shown } = asked
  const { range } = period
  const filters = [...seriesParts(series.node, plan), ...planConditions(plan), ...shown.conditions]
  const byName = series.math === 'first_time_for_user'
  const labels = labelNames(plan.breakdown)
  const fits = byName ? inBrackets(filters) : 'true'
  const order = `(timestamp, NOT ${fits})`
  const inner = `SELECT${columns([
    `${actorOf(plan.groupIndex)} AS who`,
    'min(timestamp) AS first_at',
    `argMin(${fits}, ${order}) AS fits`,
    ...shown.columns.map(
      (column, at) => `argMin(${column.slice(0, -` AS ${labels[at]}`.length)}, ${order}) AS ${labels[at]}`,
    ),
  ])}
FROM events${where([
    until(range, plan.clock),
    ...(byName ? nameParts(series.node, plan) : filters),
    ...hasActor(plan.groupIndex),
    ...cohort.conditions,
  ])}
GROUP BY 1`
  const keys = [...bucketOf(plan, range, 'first_at'), ...labels]
  return `SELECT${columns([...cohort.columns, ...keys, 'count() AS value'])}
${from(inner)}${where(['fits', `first_at >= ${moment(range.from, plan.clock)}`])}${groupBy(cohort.columns.length, keys.length)}`
}
