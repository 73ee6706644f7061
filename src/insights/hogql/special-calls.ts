import { type Fragment, sql, str, Fragment as Text } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'

const UNITS: Record<string, string> = {
  second: 'Second',
  minute: 'Minute',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
}

/**
 * Functions that mean something here that the engine's own do not: times are the project's, conversions give null
 * instead of failing.
 */
export function specialCall(
  name: string,
  args: readonly Expression[],
  value: (expression: Expression) => Fragment,
  timezone: string,
): Fragment | undefined {
  const zone = str(timezone)
  const one = () => {
    const [first] = args
    if (!first || args.length !== 1) throw sqlError(`${name} takes one argument.`)
    return value(first)
  }
  switch (name.toLowerCase()) {
    case 'now':
    case 'now64':
      return sql`now64(3, ${zone})`
    case 'today':
      return sql`toDate(now(${zone}))`
    case 'yesterday':
      return sql`(toDate(now(${zone})) - 1)`
    case 'todatetime':
    case 'todatetime64':
    case 'timestamp':
      if (args.length === 0) return undefined
      return sql`parseDateTime64BestEffortOrNull(toString(${value(args[0] as Expression)}), 6, ${args[1]?.kind === 'string' ? value(args[1]) : zone})`
    case 'toint':
      return sql`accurateCastOrNull(${one()}, 'Int64')`
    case 'tofloat':
    case 'todecimal':
      return sql`accurateCastOrNull(${one()}, 'Float64')`
    case 'dateadd':
      return shifted(args, value, '+')
    case 'datesub':
      return shifted(args, value, '-')
  }
  return undefined
}

/** dateAdd('day', 1, x), dateAdd(day, 1, x) and dateAdd(x, INTERVAL 1 DAY) alike. */
function shifted(args: readonly Expression[], value: (expression: Expression) => Fragment, sign: '+' | '-'): Fragment {
  const operator = new Text([sign], [])
  const [first, second, third] = args
  if (first && second && !third) return sql`(${value(first)} ${operator} ${value(second)})`
  const unit = UNITS[unitOf(first).toLowerCase()]
  if (!second || !third || unit === undefined || args.length > 3)
    throw sqlError("dateAdd and dateSub take a unit, a number and a time: dateAdd('day', 1, timestamp).")
  return sql`(${value(third)} ${operator} ${new Text([`toInterval${unit}`], [])}(${value(second)}))`
}

const unitOf = (expression: Expression | undefined): string =>
  expression?.kind === 'string' ? expression.value : expression?.kind === 'name' ? (expression.chain[0] ?? '') : ''
