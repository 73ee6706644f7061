/** Times are the project's, and the ways to write them of other databases mean what they mean there. */
import { type Fragment, join, sql, str, Fragment as Text } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'
import { type SpecialCall, valuesOf, type Writer } from './special-call.ts'

const UNITS: Readonly<Record<string, string>> = {
  second: 'Second',
  minute: 'Minute',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
}

/** What date_part reads of a time. */
const PARTS: Readonly<Record<string, string>> = {
  year: 'toYear',
  quarter: 'toQuarter',
  month: 'toMonth',
  week: 'toISOWeek',
  day: 'toDayOfMonth',
  hour: 'toHour',
  minute: 'toMinute',
  second: 'toSecond',
  doy: 'toDayOfYear',
  isodow: 'toDayOfWeek',
  isoyear: 'toISOYear',
  epoch: 'toUnixTimestamp',
}

const MAKE_UNITS = ['Year', 'Month', 'Week', 'Day', 'Hour', 'Minute', 'Second'] as const

const plain = (text: string): Fragment => new Text([text], [])
const zoneOf = ({ timezone }: SpecialCall): Fragment => sql`${str(timezone)}`

const now: Writer = (call) => sql`now64(3, ${zoneOf(call)})`
const today: Writer = (call) => sql`toDate(now(${zoneOf(call)}))`

/**
 * A text is read as the clock of the zone shows it, and a number is seconds since 1970. A time stays the moment that it is, also in
 * another zone or in an hour that the clock shows twice; whether a value is one, only the engine knows.
 */
const toTime: Writer = (call) => {
  const { args, value, timezone } = call
  const [first, second, third] = args
  if (first === undefined) return undefined
  // toDateTime(x, 'UTC'), toDateTime64(x, 3, 'UTC').
  const named = second?.kind === 'string' ? second : third?.kind === 'string' ? third : undefined
  const zone = str(named?.value ?? timezone)
  const given = value(first)
  if (first.kind === 'number') return sql`toDateTime64(${given}, 6, ${zone})`
  const read = sql`parseDateTime64BestEffortOrNull(toString(${given}), 6, ${zone})`
  if (first.kind === 'string') return read
  const kept = sql`toTimeZone(CAST(accurateCastOrNull(${given}, 'DateTime64(6)') AS Nullable(DateTime64(6))), ${zone})`
  return sql`if(toTypeName(${given}) LIKE '%DateTime%', ${kept}, ${read})`
}

/** Functions that make a time, and with how many arguments they name no zone: they get the project's. */
const WITHOUT_ZONE: Readonly<Record<string, number>> = {
  fromUnixTimestamp64Milli: 1,
  fromUnixTimestamp64Micro: 1,
  fromUnixTimestamp64Nano: 1,
  makeDateTime: 6,
  parseDateTime: 2,
  parseDateTimeOrNull: 2,
  parseDateTimeBestEffort: 1,
  parseDateTimeBestEffortOrNull: 1,
  parseDateTimeBestEffortOrZero: 1,
  parseDateTime64BestEffort: 2,
  parseDateTime64BestEffortOrNull: 2,
  parseDateTime64BestEffortOrZero: 2,
}
/** How many digits of a second are read unless the call says so. */
const DIGITS = sql`3`

const inZone =
  (name: string, count: number): Writer =>
  (call) => {
    const more = name.startsWith('parseDateTime64') && call.args.length === 1 ? [DIGITS] : []
    if (call.args.length + more.length !== count) return undefined
    return sql`${plain(name)}(${join([...call.args.map(call.value), ...more, zoneOf(call)], ', ')})`
  }

/** dateAdd('day', 1, x), dateAdd(day, 1, x) and dateAdd(x, INTERVAL 1 DAY) alike. */
function shifted({ name, args, value }: SpecialCall, sign: '+' | '-'): Fragment {
  const [first, second, third] = args
  if (first && second && !third) return sql`(${value(first)} ${plain(sign)} ${value(second)})`
  const unit = unitOf(first)
  if (!second || !third || unit === undefined || args.length > 3)
    throw sqlError(`${name} takes a unit, a number and a time: ${name}('day', 1, timestamp).`)
  return sql`(${value(third)} ${plain(sign)} ${plain(`toInterval${unit}`)}(${value(second)}))`
}

function unitOf(expression: Expression | undefined): string | undefined {
  const word = wordOf(expression).replace(/s$/, '')
  return Object.hasOwn(UNITS, word) ? UNITS[word] : undefined
}

const wordOf = (expression: Expression | undefined): string =>
  (expression?.kind === 'string'
    ? expression.value
    : expression?.kind === 'name'
      ? (expression.chain[0] ?? '')
      : ''
  ).toLowerCase()

const madeTime = (call: SpecialCall, parts: readonly Fragment[], zone: Fragment): Fragment => {
  if (parts.length !== 6) throw sqlError(`${call.name} takes year, month, day, hour, minute and second.`)
  return sql`makeDateTime(${join(parts, ', ')}, ${zone})`
}

const datePart: Writer = ({ name, args, value }) => {
  const part = wordOf(args[0])
  const [, time] = args
  if (!time || args.length !== 2) throw sqlError(`${name} takes a unit and a time: ${name}('month', timestamp).`)
  if (part === 'dow') return sql`(toDayOfWeek(${value(time)}) % 7)`
  if (!Object.hasOwn(PARTS, part))
    throw sqlError(`${name} reads ${Object.keys(PARTS).join(', ')} or dow of a time, not ${JSON.stringify(part)}.`)
  return sql`${plain(PARTS[part] as string)}(${value(time)})`
}

/** The patterns of to_char, longest first, as the engine writes them. */
const CHAR_PATTERNS: readonly (readonly [string, string])[] = [
  ['YYYY', '%Y'],
  ['HH24', '%H'],
  ['HH12', '%I'],
  ['Month', '%M'],
  ['MON', '%b'],
  ['Mon', '%b'],
  ['DDD', '%j'],
  ['Day', '%W'],
  ['YY', '%y'],
  ['MM', '%m'],
  ['DD', '%d'],
  ['Dy', '%a'],
  ['HH', '%I'],
  ['MI', '%i'],
  ['SS', '%S'],
  ['AM', '%p'],
  ['PM', '%p'],
  ['IW', '%V'],
]

/** A format of the engine stays as it is; one of PostgreSQL is translated. */
export function charFormat(format: string): string {
  if (format.includes('%')) return format
  let written = ''
  for (let at = 0; at < format.length; ) {
    const found = CHAR_PATTERNS.find(([pattern]) => format.startsWith(pattern, at))
    written += found ? found[1] : format[at]
    at += found ? found[0].length : 1
  }
  return written
}

const toChar: Writer = ({ name, args, value }) => {
  const [time, format] = args
  if (!time || format?.kind !== 'string' || args.length !== 2)
    throw sqlError(`${name} takes a time and a format as a plain text: ${name}(timestamp, 'YYYY-MM-DD').`)
  return sql`formatDateTime(${value(time)}, ${str(charFormat(format.value))})`
}

const slotStart = (time: Fragment, step: Fragment): Fragment => sql`toStartOfInterval(${time}, ${step})`

export const DATE_CALLS: Readonly<Record<string, Writer>> = {
  now,
  now64: now,
  current_timestamp: now,
  today,
  current_date: today,
  yesterday: (call) => sql`(toDate(now(${zoneOf(call)})) - 1)`,
  toDateTime: toTime,
  toDateTime64: toTime,
  toDateTimeOrNull: toTime,
  timestamp: toTime,
  to_timestamp: toTime,
  fromUnixTimestamp: (call) =>
    call.args.length === 1
      ? sql`toTimeZone(fromUnixTimestamp(${valuesOf(call, 1)[0] as Fragment}), ${zoneOf(call)})`
      : undefined,
  ...Object.fromEntries(Object.entries(WITHOUT_ZONE).map(([name, count]) => [name, inZone(name, count)])),
  dateAdd: (call) => shifted(call, '+'),
  date_add: (call) => shifted(call, '+'),
  timestampAdd: (call) => shifted(call, '+'),
  dateSub: (call) => shifted(call, '-'),
  date_sub: (call) => shifted(call, '-'),
  date_subtract: (call) => shifted(call, '-'),
  timestampSub: (call) => shifted(call, '-'),
  date_part: datePart,
  date_bin: (call) => {
    const [step, time, origin] = valuesOf(call, 3) as [Fragment, Fragment, Fragment]
    return sql`toStartOfInterval(${time}, ${step}, ${origin})`
  },
  make_date: (call) => sql`makeDate(${join(valuesOf(call, 3), ', ')})`,
  make_time: (call) => {
    const [hour, minute, second] = valuesOf(call, 3) as [Fragment, Fragment, Fragment]
    return sql`formatDateTime(makeDateTime(2000, 1, 1, ${hour}, ${minute}, ${second}, 'UTC'), '%H:%i:%S')`
  },
  make_timestamp: (call) => madeTime(call, call.args.map(call.value), zoneOf(call)),
  make_timestamptz: (call) => {
    const values = call.args.map(call.value)
    return madeTime(call, values.slice(0, 6), values[6] ?? zoneOf(call))
  },
  make_interval: (call) => {
    const values = call.args.map(call.value)
    if (values.length === 0 || values.length > MAKE_UNITS.length)
      throw sqlError(`${call.name} takes years, months, weeks, days, hours, minutes and seconds.`)
    const parts = values.map((value, i) => sql`${plain(`toInterval${MAKE_UNITS[i]}`)}(${value})`)
    return parts.reduce((all, part) => sql`${all} + ${part}`)
  },
  to_char: toChar,
  tumble: (call) => {
    const [time, step] = valuesOf(call, 2) as [Fragment, Fragment]
    return sql`tuple(${slotStart(time, step)}, ${slotStart(time, step)} + ${step})`
  },
  tumbleStart: (call) => {
    const [time, step] = valuesOf(call, 2) as [Fragment, Fragment]
    return slotStart(time, step)
  },
  tumbleEnd: (call) => {
    const [time, step] = valuesOf(call, 2) as [Fragment, Fragment]
    return sql`(${slotStart(time, step)} + ${step})`
  },
  hop: (call) => {
    const [time, step, size] = valuesOf(call, 3) as [Fragment, Fragment, Fragment]
    return sql`tuple(${slotStart(time, step)} + ${step} - ${size}, ${slotStart(time, step)} + ${step})`
  },
  hopStart: (call) => {
    const [time, step, size] = valuesOf(call, 3) as [Fragment, Fragment, Fragment]
    return sql`(${slotStart(time, step)} + ${step} - ${size})`
  },
  hopEnd: (call) => {
    const [time, step] = valuesOf(call, 3) as [Fragment, Fragment]
    return sql`(${slotStart(time, step)} + ${step})`
  },
}
