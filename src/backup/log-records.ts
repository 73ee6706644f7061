import { type LogEntry, type LogReader, type LogWriter, type Position, RECORDINGS_PARTITION } from '../log/index.ts'

/** Records of one partition in a file: the length of each in four bytes, little-endian, and the record. */
const LIMITS = { bytes: 8 * 1024 * 1024, records: 10_000 }
const OUR_UUIDS = /(\{"uuid":"[0-9a-f-]{36}","clientUuid":)false/g

/** The records between two positions. Calls `onRecord` for each. */
export async function* recordsBetween(
  reader: LogReader,
  partition: string,
  { from, to }: { readonly from: Position; readonly to: Position },
  onRecord: () => void,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const { records, next } = await reader.read(partition, at, LIMITS)
    for (const { payload } of records) {
      onRecord()
      yield framed(payload)
    }
    if (next === at) return
    at = next
  }
}

export function framed(payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(4 + payload.length)
  frame.writeUInt32LE(payload.length)
  payload.copy(frame, 4)
  return frame
}

/** The records of a file that comes in parts of any size. */
export async function* unframed(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of parts) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part])
    let at = 0
    while (rest.length - at >= 4 && rest.length - at - 4 >= rest.readUInt32LE(at)) {
      const end = at + 4 + rest.readUInt32LE(at)
      yield rest.subarray(at + 4, end)
      at = end
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw new Error('The last record of the log is cut off.')
}

/** Appends records to a log, in order. Returns how many. */
export async function appendRecords(
  writer: LogWriter,
  partition: string,
  records: AsyncIterable<Buffer>,
): Promise<number> {
  const recognise = writer.mayComeTwice && partition !== RECORDINGS_PARTITION
  let count = 0
  let bytes = 0
  let entries: LogEntry[] = []
  const append = async () => {
    await writer.append(entries)
    count += entries.length
    entries = []
    bytes = 0
  }
  for await (const payload of records) {
    entries.push({ partition, payload: recognise ? recognisable(payload) : Buffer.from(payload) })
    bytes += payload.length
    if (bytes >= LIMITS.bytes) await append()
  }
  await append()
  return count
}

/** Marks events whose uuids we made: where a record may come twice, they are recognised by them too. */
const recognisable = (payload: Buffer): Buffer =>
  Buffer.from(payload.toString('latin1').replace(OUR_UUIDS, '$1true'), 'latin1')
