import { sqlError } from './error.ts'

/** The types a query may name: values, and lists, tuples and maps of them. Never states of aggregates. */
const TYPE_WORDS = new Set(
  `Nullable Array Tuple Map LowCardinality String Bool UUID IPv4 IPv6 Date Date32 DateTime DateTime64 Float32 Float64
  Int8 Int16 Int32 Int64 Int128 Int256 UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 Decimal Decimal32 Decimal64 Decimal128`
    .trim()
    .split(/\s+/),
)
const LONGEST_TYPE = 200

export function refuseOddType(type: string): void {
  const words = type.match(/[A-Za-z]\w*/g) ?? []
  const inTuple = /Tuple\(/.test(type)
  const known = words.every((word) => TYPE_WORDS.has(word) || (inTuple && /^[a-z]\w*$/.test(word)))
  if (known && words.length > 0 && type.length <= LONGEST_TYPE && /^[\w(), ]+$/.test(type)) return
  throw sqlError(`There is no type ${JSON.stringify(type.slice(0, 100))}; there are ${[...TYPE_WORDS].join(', ')}.`)
}
