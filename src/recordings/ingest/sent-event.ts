import { type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts'
import { endOfValue, numberAt, startsObject, walkObject } from '../../lib/json-spans.ts'
import { CONSOLE_PLUGIN, TYPE } from './rrweb.ts'

/** One rrweb event as it lies in an upload: what must be known of all of them, and where its parts are. */
export interface SentEvent {
  readonly type: number
  readonly timestamp: number
  readonly at: number
  readonly end: number
  /** Where the value of `data` is; -1 without one. */
  readonly dataAt: number
  readonly dataEnd: number
  /** The version of how its parts are packed, as JSON text; undefined when nothing is. */
  readonly packing: string | undefined
}

const LARGEST_TIME = 8.64e15

/** Reads what stands at `at`. Undefined as an event when it is none. */
export function readSent(bytes: Buffer, at: number): { readonly event: SentEvent | undefined; readonly end: number } {
  if (!startsObject(bytes, at)) return { event: undefined, end: endOfValue(bytes, at) }
  let type: number | undefined
  let timestamp: number | undefined
  let packing: string | undefined
  let dataAt = -1
  let dataEnd = -1
  const end = walkObject(bytes, at, (name, from) => {
    const to = endOfValue(bytes, from)
    if (name === 'type') type = numberAt(bytes, from, to)
    else if (name === 'timestamp') timestamp = numberAt(bytes, from, to)
    else if (name === 'cv') packing = bytes.toString('utf8', from, to)
    else if (name === 'data') [dataAt, dataEnd] = [from, to]
    return to
  })
  if (type === undefined || timestamp === undefined || timestamp < 0 || timestamp > LARGEST_TIME)
    return { event: undefined, end }
  return { event: { type, timestamp, at, end, dataAt, dataEnd, packing }, end }
}

/** As much of an event as a summary looks at: not the page, not what changed in it. */
export function sketchOf(bytes: Buffer, { type, dataAt, dataEnd }: SentEvent): JsonObject {
  if (dataAt < 0 || type === TYPE.full || !startsObject(bytes, dataAt)) return { type }
  if (type === TYPE.incremental) return { type, data: numbersIn(bytes, dataAt) }
  if (type === TYPE.plugin && !bytes.subarray(dataAt, dataEnd).includes(CONSOLE_PLUGIN)) return { type }
  return { type, data: JSON.parse(bytes.toString('utf8', dataAt, dataEnd)) }
}

/** The numbers of an object: what kind of change it is, and where. */
export function numbersIn(bytes: Buffer, at: number): JsonObject {
  const numbers: JsonObject = {}
  walkObject(bytes, at, (name, from) => {
    const to = endOfValue(bytes, from)
    if (name === 'source' || name === 'type') {
      const number = numberAt(bytes, from, to)
      if (number === undefined) delete numbers[name]
      else numbers[name] = number
    }
    return to
  })
  return numbers
}

const LINE_FEED = 0x0a
const RETURN = 0x0d

/** JSON as one line: as it is, unless it was spread over several. */
export function asLine(text: Buffer): Buffer {
  if (!text.includes(LINE_FEED) && !text.includes(RETURN)) return text
  return Buffer.from(stringifyJson(parseJson(text.toString('utf8'))))
}

/** An object with other values in some places and some members left out. */
export function withMembers(
  bytes: Buffer,
  at: number,
  change: (name: string, at: number, end: number) => Buffer | 'keep' | 'drop',
): Buffer {
  const pieces: Buffer[] = []
  walkObject(bytes, at, (name, from) => {
    const to = endOfValue(bytes, from)
    const changed = change(name, from, to)
    if (changed !== 'drop') {
      pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`))
      pieces.push(changed === 'keep' ? bytes.subarray(from, to) : changed)
    }
    return to
  })
  if (pieces.length === 0) pieces.push(Buffer.from('{'))
  pieces.push(Buffer.from('}'))
  return Buffer.concat(pieces)
}
