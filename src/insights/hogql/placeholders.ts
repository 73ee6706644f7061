import type { PropertyGroup } from '../../contract/queries/index.ts'
import { and, type Fragment, join, moment, Param, sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { DAY } from '../../lib/durations.ts'
import { isDateOnly } from '../../lib/parse-date.ts'
import { toInstant } from '../../lib/zone.ts'
import { readDate } from '../plan/moment-of.ts'
import { conditionsOf } from '../sql/filter.ts'
import type { OperatorContext } from '../sql/operators.ts'
import { sqlError } from './error.ts'
import { rowsSatisfy } from './filter-rows.ts'
import type { SelectScope } from './scope.ts'

export type Constant = string | number | boolean | null | readonly Constant[]

export interface Placeholders {
  readonly operators: OperatorContext
  readonly properties: PropertyGroup
  readonly dateFrom: string | null
  readonly dateTo: string | null
  /** What {filters.interval} stands for. */
  readonly interval?: string | undefined
  readonly values: Readonly<Record<string, Constant>>
  readonly variables: Readonly<Record<string, Constant>>
}

/** What stands in braces: {filters}, {filters.dateRange.from}, {variables.x} or a value of the request. */
export function placeholder(path: readonly string[], scope: SelectScope, given: Placeholders): Fragment {
  const [first = '', ...rest] = path
  if (first === 'filters') {
    if (rest.join('.') === 'interval') return sql`${str(given.interval ?? 'day')}`
    return rest.length === 0 ? filters(scope, given) : dateBound(rest, given)
  }
  const value = valueGiven(path, given)
  if (value === undefined) throw sqlError(`Nothing was given for {${path.join('.')}}.`)
  return constant(value)
}

/** The value of the request that a placeholder names. */
export function valueGiven(path: readonly string[], given: Placeholders): Constant | undefined {
  const [first = '', ...rest] = path
  const [from, name] = first === 'variables' ? [given.variables, rest.join('.')] : [given.values, path.join('.')]
  return Object.hasOwn(from, name) ? from[name] : undefined
}

function constant(value: Constant): Fragment {
  if (value === null) return sql`NULL`
  if (typeof value === 'boolean') return value ? sql`true` : sql`false`
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw sqlError('A value must be a finite number.')
    return Number.isSafeInteger(value) ? sql`${new Param('Int64', value)}` : sql`${new Param('Float64', value)}`
  }
  if (typeof value === 'string') return sql`${str(value)}`
  return list(value)
}

const MOST_OF_SEVERAL_KINDS = 1_000

/** Texts and numbers are one parameter, however many they are; of several kinds, each is one of its own. */
function list(values: readonly Constant[]): Fragment {
  if (values.length > 0 && values.every((each) => typeof each === 'string')) return sql`${strings(values)}`
  if (values.length > 0 && values.every(Number.isSafeInteger)) return sql`${new Param('Array(Int64)', values)}`
  if (values.length > 0 && values.every(Number.isFinite)) return sql`${new Param('Array(Float64)', values)}`
  if (values.length > MOST_OF_SEVERAL_KINDS)
    throw sqlError(`A list of values of several kinds has at most ${MOST_OF_SEVERAL_KINDS} of them.`)
  return sql`[${join(values.map(constant), ', ')}]`
}

function filters(scope: SelectScope, given: Placeholders): Fragment {
  const source = scope.filtered()
  const time = source.field(['timestamp']) ?? source.field(['$start_timestamp']) ?? source.field(['created_at'])
  const [from, to] = [boundOf(given.dateFrom, given, 'from'), boundOf(given.dateTo, given, 'to')]
  const conditions: Fragment[] = []
  if (time && from !== null) conditions.push(sql`${time.value} >= ${moment(from)}`)
  if (time && to !== null) conditions.push(sql`${time.value} < ${moment(to)}`)
  if (given.properties.values.length > 0) {
    const events = source.view?.scope
    if (events) conditions.push(source.condition(and(conditionsOf(events, given.properties, given.operators))))
    else conditions.push(rowsSatisfy(source, given.properties, given.operators))
  }
  return and(conditions)
}

function dateBound(path: readonly string[], given: Placeholders): Fragment {
  const which = path.join('.')
  if (which !== 'dateRange.from' && which !== 'dateRange.to') throw sqlError(`There is no {filters.${which}}.`)
  const bound = which === 'dateRange.from' ? boundOf(given.dateFrom, given, 'from') : boundOf(given.dateTo, given, 'to')
  if (bound !== null) return moment(bound)
  return which === 'dateRange.from' ? moment(Date.UTC(1971, 0, 1)) : moment(Date.UTC(2200, 0, 1))
}

function boundOf(
  text: string | null,
  { operators: { timezone, now } }: Placeholders,
  end: 'from' | 'to',
): number | null {
  if (text === null || text === '' || (end === 'from' && text === 'all')) return null
  const { local } = readDate(text, { timezone, now }, ['filters', 'dateRange', `date_${end}`])
  return toInstant(end === 'to' && isDateOnly(text) ? local + DAY : local, timezone)
}
