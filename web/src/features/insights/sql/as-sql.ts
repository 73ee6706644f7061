import { eventName } from '../../../lib/names.ts'
import { type Breakdown, type Draft, defaultFrom, type Filter, type Series } from '../draft.ts'
import { groupsOf } from '../filter-groups.ts'
import { DEFAULT_LIMIT, isComplete } from '../node.ts'
import { quoted } from './quoted.ts'
import type { SqlSearch } from './sql-draft.ts'
import { type AnsweredDays, lifecycleSql, pathsSql, retentionSql } from './sql-of-days.ts'

/**
 * A question in the SQL that the SQL page runs, with the same numbers, to go on from. Undefined for questions that SQL
 * over events does not say in a few lines. `days` are those that were answered: kinds that count whole intervals, or
 * look at what was before, name them themselves.
 */
export function asSql(draft: Draft, days?: AnsweredDays): SqlSearch | undefined {
  if (draft.testAccounts || draft.compare || draft.smoothing || !draft.series.every(isPlain)) return undefined
  const ofDays = days && sqlOfDays(draft, days)
  if (ofDays) return { sql: ofDays }
  const sql = sqlOf(draft)
  if (!sql) return undefined
  const dates = { from: draft.from ?? defaultFrom(draft.kind), ...(draft.to ? { to: draft.to } : {}) }
  return { sql, ...dates, ...(draft.kind === 'trends' && !draft.breakdown?.length ? { display: 'line' } : {}) }
}

/** The days that were answered, as the project's clock shows them. */
export function daysOf(answer: object | undefined, weekStart: number | null): AnsweredDays | undefined {
  const { resolved_date_range: range } = (answer ?? {}) as {
    resolved_date_range?: Record<'date_from' | 'date_to', string>
  }
  const shown = (moment: string) => moment.slice(0, 19).replace('T', ' ')
  return range && { from: shown(range.date_from), to: shown(range.date_to), weekStart: weekStart === 1 ? 1 : 0 }
}

function sqlOf(draft: Draft): string | undefined {
  if (draft.kind === 'trends') return trendSql(draft)
  if (draft.kind === 'funnel') return funnelSql(draft)
  return draft.kind === 'stickiness' ? stickinessSql(draft) : undefined
}

function sqlOfDays(draft: Draft, days: AnsweredDays): string | undefined {
  const where = conditionsBeside(draft)
  if (where === undefined || draft.breakdown?.length) return undefined
  const [target] = draft.series
  const came = target && conditionOf(target)
  switch (draft.kind) {
    case 'lifecycle':
      return came && lifecycleSql({ event: came, where, interval: draft.interval ?? 'day' }, days)
    case 'retention': {
      const back = draft.returning === undefined ? target?.event : draft.returning
      const [first, again] = [target?.event, back].map((event) => conditionOf({ event: event ?? null }))
      const isFirst = draft.firstTime !== false
      return first && again && retentionSql({ first, again, where, isFirst, period: draft.period ?? 'Day' }, days)
    }
    case 'paths':
      return draft.endPoint
        ? undefined
        : pathsSql(
            { where, types: draft.pathTypes ?? ['$pageview'], start: draft.startPoint, steps: draft.steps ?? 5 },
            days,
          )
    default:
      return undefined
  }
}

/** An action is several events with conditions that the page does not know. */
const isPlain = ({ action, groupIndex }: Series): boolean => action === undefined && groupIndex === undefined

const STARTS: Record<string, string> = {
  hour: 'toStartOfHour(timestamp)',
  day: 'toStartOfDay(timestamp)',
  month: 'toStartOfMonth(timestamp)',
}

function trendSql(draft: Draft): string | undefined {
  const totals = draft.display !== undefined && !OVER_TIME.has(draft.display)
  const start = STARTS[draft.interval ?? 'day']
  const by = (draft.breakdown ?? []).map(breakdownColumn)
  const counted = draft.series.map((one) => measure(one))
  const where = conditions(draft)
  if ((!start && !totals) || draft.formula || draft.display === 'cumulative' || !where) return undefined
  if (by.includes(undefined) || counted.includes(undefined)) return undefined
  const columns = [
    ...(totals ? [] : [`  ${start} AS ${draft.interval ?? 'day'}`]),
    ...by.map((column, index) => `  ${column} AS ${named(draft.breakdown?.[index]?.property ?? '')}`),
    ...counted.map((column, index) => `  ${column} AS ${named(titleOf(draft.series, index))}`),
  ]
  const keys = [...(totals ? [] : [1]), ...by.map((_, index) => (totals ? 1 : 2) + index)]
  return [
    `SELECT\n${columns.join(',\n')}`,
    'FROM events',
    `WHERE ${[where, anyOf(draft.series)].filter(Boolean).join('\n  AND ')}`,
    ...(keys.length > 0 ? [`GROUP BY ${keys.join(', ')}`] : []),
    totals ? `ORDER BY ${keys.length + 1} DESC` : 'ORDER BY 1',
    ...(totals && by.length > 0 ? [`LIMIT ${draft.breakdownLimit ?? DEFAULT_LIMIT}`] : []),
  ].join('\n')
}

const OVER_TIME: ReadonlySet<string> = new Set(['line', 'area', 'bar', 'cumulative'])

function funnelSql(draft: Draft): string | undefined {
  const where = conditions(draft)
  const isSimple = (draft.order ?? 'ordered') === 'ordered' && (draft.viz ?? 'steps') === 'steps'
  const steps = draft.series.map(conditionOf)
  if (!where || !isSimple || draft.breakdown?.length || steps.length < 2 || steps.includes(undefined)) return undefined
  const seconds = (draft.window ?? 14) * (SECONDS[draft.windowUnit ?? 'day'] ?? 86_400)
  const columns = draft.series.map(
    (_, index) => `  countIf(reached >= ${index + 1}) AS ${named(`${index + 1} ${titleOf(draft.series, index)}`)}`,
  )
  return `SELECT
${columns.join(',\n')}
FROM (
  SELECT
    person_id,
    windowFunnel(${seconds})(
      toDateTime(timestamp),
      ${steps.join(',\n      ')}
    ) AS reached
  FROM events
  WHERE ${where}
  GROUP BY person_id
)`
}

const SECONDS: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 }

function stickinessSql(draft: Draft): string | undefined {
  const [first, ...rest] = draft.series
  const where = conditions(draft)
  const start = STARTS[draft.interval ?? 'day']
  const condition = first && conditionOf(first)
  if (!where || !start || rest.length > 0 || !condition) return undefined
  const unit = `${draft.interval ?? 'day'}s`
  return `SELECT ${unit}, count() AS people
FROM (
  SELECT person_id, count(DISTINCT ${start}) AS ${unit}
  FROM events
  WHERE ${where}
    AND ${condition}
  GROUP BY person_id
)
GROUP BY ${unit}
ORDER BY ${unit}`
}

const titleOf = (series: readonly Series[], index: number): string => {
  const one = series[index]
  const title = one?.name || eventName(one?.event)
  const twice = series.filter((other) => (other.name || eventName(other.event)) === title).length > 1
  return twice ? `${title} ${index + 1}` : title
}

const OVER: Record<string, (value: string, condition: string) => string> = {
  sum: (value, condition) => `sumIf(${value}, ${condition})`,
  avg: (value, condition) => `avgIf(${value}, ${condition})`,
  min: (value, condition) => `minIf(${value}, ${condition})`,
  max: (value, condition) => `maxIf(${value}, ${condition})`,
}

function measure(series: Series): string | undefined {
  const condition = conditionOf(series)
  if (!condition) return undefined
  switch (series.math ?? 'total') {
    case 'total':
      return `countIf(${condition})`
    case 'dau':
      return `uniqIf(person_id, ${condition})`
    case 'unique_session':
      return `uniqIf(properties.$session_id, ${condition})`
  }
  const over = OVER[series.math ?? '']
  return over && series.property ? over(`toFloat(${propertyOf('event', series.property)})`, condition) : undefined
}

/** What makes an event one of the series; undefined where a filter cannot be written. */
function conditionOf({ event, filters = [] }: Series): string | undefined {
  const parts = [event === null ? 'true' : `event = ${quoted(event)}`, ...filters.filter(isComplete).map(condition)]
  return parts.includes(undefined) ? undefined : parts.join(' AND ')
}

/** Rows of no series need not be read. */
function anyOf(series: readonly Series[]): string {
  const events = [...new Set(series.map(({ event }) => event))]
  if (events.includes(null)) return ''
  const names = events.map((event) => quoted(event ?? ''))
  return names.length === 1 ? `event = ${names[0]}` : `event IN (${names.join(', ')})`
}

/** The dates come with `{filters}`; the conditions of the whole question stand beside it. */
function conditions(draft: Draft): string | undefined {
  const beside = conditionsBeside(draft)
  return beside && ['{filters}', ...beside].join('\n  AND ')
}

/** The conditions of the whole question; undefined where one cannot be written. */
function conditionsBeside(draft: Draft): string[] | undefined {
  const { match, groups } = groupsOf(draft)
  const written = groups
    .map((group) => ({ ...group, filters: group.filters.filter(isComplete).map(condition) }))
    .filter(({ filters }) => filters.length > 0)
  if (written.some(({ filters }) => filters.includes(undefined))) return undefined
  const joined = written.map((group) => joinedBy(group.match, group.filters as string[]))
  return joined.length > 0 ? [joinedBy(match, joined)] : []
}

const joinedBy = (match: 'all' | 'any', parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(match === 'any' ? ' OR ' : ' AND ')})`

const COMPARED: Record<string, string> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

function condition({ key, type, operator, value }: Filter): string | undefined {
  if (type !== 'event' && type !== 'person') return undefined
  const property = propertyOf(type, key)
  const values = [value ?? []].flat().map(String)
  const list = values.map(quoted).join(', ')
  const [first = ''] = values
  switch (operator) {
    case 'exact':
      return values.length === 1 ? `toString(${property}) = ${list}` : `toString(${property}) IN (${list})`
    case 'is_not':
      return values.length === 1 ? `toString(${property}) != ${list}` : `toString(${property}) NOT IN (${list})`
    case 'icontains':
      return `toString(${property}) ILIKE ${quoted(`%${first.replace(/[\\%_]/g, '\\$&')}%`)}`
    case 'is_set':
      return `${property} IS NOT NULL`
    case 'is_not_set':
      return `${property} IS NULL`
    default: {
      const compared = COMPARED[operator]
      return compared && Number.isFinite(Number(first)) && first.trim() !== ''
        ? `toFloat(${property}) ${compared} ${Number(first)}`
        : undefined
    }
  }
}

function breakdownColumn({ property, type, bins }: Breakdown): string | undefined {
  return (type === 'event' || type === 'person') && bins === undefined ? propertyOf(type, property) : undefined
}

function propertyOf(type: 'event' | 'person', key: string): string {
  const from = type === 'event' ? 'properties' : 'person.properties'
  return /^[$\w]+$/.test(key) && /^[$a-z_]/i.test(key) ? `${from}.${key}` : `${from}[${quoted(key)}]`
}

/** A column's name in backticks, where it is no plain word. */
const named = (text: string): string =>
  /^[a-z_]\w*$/i.test(text) && !/^(select|from|where|group|order|limit|and|or|not|as|by)$/i.test(text)
    ? text
    : `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
