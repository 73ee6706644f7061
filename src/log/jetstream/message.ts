/**
 * The bytes of a message: its kind, then either the records, each after its length, or a reference to records that do
 * not fit into one message.
 */
export interface LargeReference {
  /** Names the pieces. */
  readonly id: string
  /** The positions of the pieces in their stream, in order. */
  readonly sequences: readonly number[]
  readonly bytes: number
}

const RECORDS = 1
const REFERENCE = 2
const LENGTH_BYTES = 4

export const framedBytes = (payloads: readonly Uint8Array[]): number =>
  payloads.reduce((sum, payload) => sum + LENGTH_BYTES + payload.length, 0)

/** Several lists of records as one, each record after its length. */
export function encodeRecords(payloads: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(1 + framedBytes(payloads))
  bytes[0] = RECORDS
  let at = 1
  for (const payload of payloads) {
    bytes.writeUInt32LE(payload.length, at)
    bytes.set(payload, at + LENGTH_BYTES)
    at += LENGTH_BYTES + payload.length
  }
  return bytes
}

export const encodeReference = (reference: LargeReference): Buffer =>
  Buffer.concat([Buffer.of(REFERENCE), Buffer.from(JSON.stringify(reference))])

/** The records of a message, or the reference to them. Throws when the bytes are neither. */
export function decodeMessage(bytes: Buffer): { readonly records: Buffer[] } | { readonly reference: LargeReference } {
  if (bytes[0] === REFERENCE) return { reference: JSON.parse(bytes.toString('utf8', 1)) as LargeReference }
  if (bytes[0] !== RECORDS) throw new RangeError(`a message of the unknown kind ${bytes[0]}`)
  const records: Buffer[] = []
  for (let at = 1; at < bytes.length; ) {
    const length = at + LENGTH_BYTES <= bytes.length ? bytes.readUInt32LE(at) : Number.POSITIVE_INFINITY
    const end = at + LENGTH_BYTES + length
    if (end > bytes.length) throw new RangeError('a record reaches beyond its message')
    records.push(bytes.subarray(at + LENGTH_BYTES, end))
    at = end
  }
  return { records }
}
