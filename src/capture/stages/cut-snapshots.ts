import { isUtf8 } from 'node:buffer'
import type { RawItems } from '../../events/index.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../../lib/json.ts'
import {
  afterBlanks,
  endOfValue,
  NotJson,
  startsArray,
  startsObject,
  walkArray,
  walkObject,
} from '../../lib/json-spans.ts'
import { LIMITS } from '../limits.ts'
import { refuseCostly } from './refuse-costly.ts'

/** The rrweb events that were cut out, by the item they belong to. */
export type CutItems = ReadonlyMap<Json, RawItems>

interface Cut {
  /** Which item of the request. */
  readonly item: number
  readonly from: number
  readonly to: number
  readonly bounds: readonly number[]
}

/**
 * Almost all of an upload is rrweb events that capture does not need to parse. They are cut out of the text and passed
 * on unchanged; only the rest is parsed. Null when the upload is not what SDKs send (or not JSON), and must be parsed
 * like any other request.
 */
export function cutSnapshots(bytes: Buffer | string): { readonly value: Json; readonly cut: CutItems } | null {
  if (typeof bytes === 'string' || !isUtf8(bytes)) return null
  try {
    const cuts = new SnapshotCutter(bytes).cuts()
    const text = textWithout(bytes, cuts)
    refuseCostly(text)
    const value = parseJson(text)
    const items = itemsOf(value)
    const cut = new Map<Json, RawItems>()
    for (const { item, bounds } of cuts) cut.set(items[item] as Json, { bytes, bounds })
    const snapshotsOnly = [...cut.keys()].every((item) => isObject(item) && item.event === '$snapshot')
    return snapshotsOnly ? { value, cut } : null
  } catch (error) {
    if (error instanceof NotJson) return null
    throw error
  }
}

/** As `shape` sees them. */
function itemsOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  return Array.isArray((value as JsonObject).batch) ? ((value as JsonObject).batch as Json[]) : [value]
}

function textWithout(bytes: Buffer, cuts: readonly Cut[]): string {
  let text = ''
  let at = 0
  for (const { from, to } of cuts) {
    text += `${bytes.toString('utf8', at, from)}null`
    at = to
  }
  return text + bytes.toString('utf8', at)
}

/** Finds `properties.$snapshot_data` of every item. Throws NotJson when a key it looks for is in an object twice. */
class SnapshotCutter {
  readonly #bytes: Buffer
  readonly #cuts: Cut[] = []
  #items = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  cuts(): readonly Cut[] {
    const bytes = this.#bytes
    const start = afterBlanks(bytes, 0)
    const end = startsArray(bytes, start) ? this.#inList(start) : this.#inRequest(start)
    if (afterBlanks(bytes, end) !== bytes.length) throw new NotJson('something follows the request')
    return this.#cuts
  }

  readonly #inList = (at: number): number => walkArray(this.#bytes, at, this.#inItem)

  readonly #inItem = (at: number): number => {
    const item = this.#items++
    if (!startsObject(this.#bytes, at)) return endOfValue(this.#bytes, at)
    return this.#once(at, 'properties', startsObject, (found) => this.#inProperties(found, item))
  }

  /** A batch, or one event. */
  readonly #inRequest = (at: number): number => {
    const isBatch = { yet: false }
    const end = this.#once(at, 'batch', startsArray, (found) => {
      isBatch.yet = true
      return this.#inList(found)
    })
    return isBatch.yet ? end : this.#inItem(at)
  }

  #inProperties(at: number, item: number): number {
    return this.#once(at, '$snapshot_data', startsArray, (from) => {
      const bounds: number[] = []
      const to = walkArray(this.#bytes, from, (start) => {
        const end = endOfValue(this.#bytes, start)
        if (bounds.push(start, end) > 2 * LIMITS.uploadItems) throw new NotJson('too many events')
        return end
      })
      this.#cuts.push({ item, from, to, bounds })
      return to
    })
  }

  /** Walks over an object and into the member of that name, if its value has the expected type. */
  #once(at: number, name: string, looksRight: typeof startsArray, goInto: (at: number) => number): number {
    let met = false
    return walkObject(this.#bytes, at, (key, value) => {
      if (key !== name) return endOfValue(this.#bytes, value)
      if (met) throw new NotJson(`${name} stands there twice`)
      met = true
      return looksRight(this.#bytes, value) ? goInto(value) : endOfValue(this.#bytes, value)
    })
  }
}
