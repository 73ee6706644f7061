/**
 * Functions that mean something here that the engine's own do not: times are the project's, conversions give null
 * instead of failing, and some are put together from several of the engine's.
 */
import { type Fragment, sql, str, Fragment as Text } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { MOST_COLLECTED, withinCollected } from './collected.ts'
import { DATE_CALLS } from './date-calls.ts'
import { sqlError } from './error.ts'
import { PRODUCT_CALLS } from './product-calls.ts'
import { type SpecialCall, valuesOf, type Writer } from './special-call.ts'
import { refuseOddType } from './type-names.ts'
import { plain } from './values.ts'
import { withinSize } from './written-size.ts'

const one = (call: SpecialCall): Fragment => valuesOf(call, 1)[0] as Fragment

/** All values of a group, as long as they are not too many. */
const collected = (name: string, value: Fragment): Fragment =>
  withinCollected(name, 'list', sql`groupArray(${plain(String(MOST_COLLECTED + 1))})(${value})`)

/** Reads numbers out of texts; a property that was seen to be a number already is one. */
const ofAnyText: Writer = (call) => {
  const [value, ...rest] = valuesOf(call, 1, 2)
  const more = rest.map((each) => sql`, ${each}`).reduce((all, each) => sql`${all}${each}`, sql``)
  return sql`${new Text([call.name], [])}(toString(${value as Fragment})${more})`
}

function orDefault(call: SpecialCall, type: string): Fragment {
  const [value, otherwise] = valuesOf(call, 1, 2) as [Fragment, Fragment?]
  return sql`ifNull(accurateCastOrNull(${value}, ${str(type)}), ${otherwise ?? sql`0`})`
}

const READ_FROM_TEXT = ['Null', 'Zero'].flatMap((otherwise) =>
  ['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'Float32', 'Float64', 'Decimal64'].map(
    (type) => `to${type}Or${otherwise}`,
  ),
)

/** The type is the last argument, a plain text. */
const withType: Writer = ({ name, args }) => {
  const type = args.at(-1)
  if (type?.kind !== 'string') throw sqlError(`${name} takes a type last: ${name}(..., 'Int64').`)
  refuseOddType(type.value)
  return undefined
}

const CALLS: Readonly<Record<string, Writer>> = {
  toInt: (call) => sql`accurateCastOrNull(${one(call)}, 'Int64')`,
  toFloat: (call) => sql`accurateCastOrNull(${one(call)}, 'Float64')`,
  toFloatOrZero: (call) => sql`ifNull(accurateCastOrNull(${one(call)}, 'Float64'), 0)`,
  toFloatOrDefault: (call) => orDefault(call, 'Float64'),
  toIntOrZero: (call) => sql`ifNull(accurateCastOrNull(${one(call)}, 'Int64'), 0)`,
  toIntOrDefault: (call) => orDefault(call, 'Int64'),
  nvl: (call) => {
    const [value, otherwise] = valuesOf(call, 2) as [Fragment, Fragment]
    return sql`ifNull(${value}, ${otherwise})`
  },
  strpos: (call) => {
    const [text, part] = valuesOf(call, 2) as [Fragment, Fragment]
    return sql`position(toString(${text}), ${part})`
  },
  toDecimal: (call) => sql`accurateCastOrNull(${valuesOf(call, 1, 2)[0] as Fragment}, 'Float64')`,
  ...Object.fromEntries(READ_FROM_TEXT.map((name) => [name, (call) => ofAnyText({ ...call, name })])),
  isUUID: (call) => sql`isNotNull(toUUIDOrNull(toString(${one(call)})))`,
  JSONExtract: withType,
  JSONExtractKeysAndValues: withType,
  accurateCastOrNull: withType,
  split_part: (call) => {
    const [text, separator, number] = valuesOf(call, 3) as [Fragment, Fragment, Fragment]
    return sql`arrayElement(splitByString(${separator}, assumeNotNull(${text})), ${number})`
  },
  generateSeries: (call) => {
    const [from, to, step] = valuesOf(call, 2, 3) as [Fragment, Fragment, Fragment?]
    return sql`arrayJoin(range(toInt64(${from}), toInt64(${to}) + 1${step ? sql`, toInt64(${step})` : sql``}))`
  },
  string_agg: (call) => {
    const [value, separator] = valuesOf(call, 2) as [Fragment, Fragment]
    return sql`arrayStringConcat(${collected('string_agg', sql`toString(${value})`)}, ${separator})`
  },
  json_agg: (call) => sql`toJSONString(${collected('json_agg', one(call))})`,
  ...DATE_CALLS,
  ...PRODUCT_CALLS,
}

/** In lower case, as they are looked up. */
const BY_LOWER = new Map(Object.entries(CALLS).map(([name, writer]) => [name.toLowerCase(), writer]))

export const SPECIAL_NAMES: readonly string[] = Object.keys(CALLS)

export function specialCall(
  name: string,
  args: readonly Expression[],
  value: (expression: Expression) => Fragment,
  timezone: string,
): Fragment | undefined {
  const written = BY_LOWER.get(name.toLowerCase())?.({ name, args, value, timezone })
  return written && withinSize(written)
}
