/**
 * What each operator asks of a value, given as Nullable(String). Every condition is a plain 0 or 1, also where the
 * value is missing.
 */

import type { PropertyFilter } from '../../contract/queries/index.ts'
import { and, Fragment, float, moment, or, Param, sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import type { Instant } from '../../lib/zone.ts'
import { type DateOperator, dateBounds } from '../plan/date-bounds.ts'
import { VERSION, VERSION_NUMBERS, type VersionTest, versionTests } from '../plan/semver.ts'

export interface OperatorContext {
  readonly timezone: string
  readonly now: Instant
}

/** The number a text holds. What is no finite number is no number. */
export const numberIn = (value: Fragment): Fragment =>
  sql`if(isFinite(toFloat64OrNull(${value})), toFloat64OrNull(${value}), NULL)`

const present = (condition: Fragment): Fragment => sql`ifNull(${condition}, 0)`
const unlessPresent = (condition: Fragment): Fragment => sql`ifNull(NOT (${condition}), 1)`

export function satisfies(value: Fragment, filter: PropertyFilter, context: OperatorContext): Fragment {
  const { operator, values } = filter
  const anyOf = (test: (wanted: string) => Fragment): Fragment => or(values.map(test))
  switch (operator) {
    case 'exact':
    case 'in':
    case 'is_cleaned_path_exact':
      return present(isOneOf(value, values))
    case 'is_not':
    case 'not_in':
      return unlessPresent(isOneOf(value, values))
    case 'icontains':
    case 'icontains_multi':
      return present(anyOf((wanted) => contains(value, wanted)))
    case 'not_icontains':
    case 'not_icontains_multi':
      return unlessPresent(anyOf((wanted) => contains(value, wanted)))
    case 'starts_with':
      return present(anyOf((wanted) => sql`startsWith(${value}, ${str(wanted)})`))
    case 'not_starts_with':
      return unlessPresent(anyOf((wanted) => sql`startsWith(${value}, ${str(wanted)})`))
    case 'ends_with':
      return present(anyOf((wanted) => sql`endsWith(${value}, ${str(wanted)})`))
    case 'not_ends_with':
      return unlessPresent(anyOf((wanted) => sql`endsWith(${value}, ${str(wanted)})`))
    case 'regex':
      return present(anyOf((pattern) => sql`match(${value}, ${str(pattern)})`))
    case 'not_regex':
      return unlessPresent(anyOf((pattern) => sql`match(${value}, ${str(pattern)})`))
    case 'gt':
      return present(anyOf((wanted) => sql`${numberIn(value)} > ${float(asked(wanted, filter))}`))
    case 'gte':
    case 'min':
      return present(anyOf((wanted) => sql`${numberIn(value)} >= ${float(asked(wanted, filter))}`))
    case 'lt':
      return present(anyOf((wanted) => sql`${numberIn(value)} < ${float(asked(wanted, filter))}`))
    case 'lte':
    case 'max':
      return present(anyOf((wanted) => sql`${numberIn(value)} <= ${float(asked(wanted, filter))}`))
    case 'between':
      return present(isBetween(value, filter))
    case 'not_between':
      return unlessPresent(isBetween(value, filter))
    case 'is_set':
      return sql`isNotNull(${value})`
    case 'is_not_set':
      return sql`isNull(${value})`
    case 'is_date_exact':
    case 'is_date_before':
    case 'is_date_after':
      return present(anyOf((wanted) => comparesDate(value, operator, wanted, context)))
    default:
      return present(anyOf((wanted) => comparesVersion(value, versionTests(operator, wanted, filter))))
  }
}

const isOneOf = (value: Fragment, values: readonly string[]): Fragment =>
  values.length === 1 ? sql`${value} = ${str(values[0] as string)}` : sql`has(${strings(values)}, ${value})`

const contains = (value: Fragment, wanted: string): Fragment =>
  sql`positionCaseInsensitiveUTF8(${value}, ${str(wanted)}) > 0`

function asked(text: string, filter: PropertyFilter): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  throw new InvalidQuery(
    `The operator ${filter.operator} compares numbers; ${JSON.stringify(text)} (for "${filter.key}") is none.`,
    ['properties'],
  )
}

function isBetween(value: Fragment, filter: PropertyFilter): Fragment {
  const [low, high] = filter.values
  if (low === undefined || high === undefined || filter.values.length !== 2) {
    throw new InvalidQuery(`The operator ${filter.operator} takes two numbers, [low, high].`, ['properties'])
  }
  const number = numberIn(value)
  return sql`${number} >= ${float(asked(low, filter))} AND ${number} <= ${float(asked(high, filter))}`
}

function comparesDate(value: Fragment, operator: DateOperator, wanted: string, context: OperatorContext): Fragment {
  const { from, until } = dateBounds(operator, wanted, context)
  const time = sql`parseDateTime64BestEffortOrNull(${value}, 3, ${str(context.timezone)})`
  return and([
    ...(from === null ? [] : [sql`${time} >= ${moment(from)}`]),
    ...(until === null ? [] : [sql`${time} < ${moment(until)}`]),
  ])
}

function comparesVersion(value: Fragment, tests: readonly VersionTest[]): Fragment {
  const numbers = sql`arrayMap(part -> toUInt64OrZero(part), splitByChar('.', extract(ifNull(${value}, ''), ${str(VERSION_NUMBERS)})))`
  return and([
    sql`match(${value}, ${str(VERSION)})`,
    ...tests.map(({ is, version }) => sql`${numbers} ${new Fragment([is], [])} ${new Param('Array(UInt64)', version)}`),
  ])
}
