import { parseJson, stringifyJson } from '../lib/json.ts'
import type { CapturedRecording } from './captured.ts'

/** Everything about an upload except the rrweb events. */
export type RecordingHead = Omit<CapturedRecording, 'items'>

/**
 * JSON values that have not been parsed: their positions in some bytes (from, to, from, to, ...). Between neighbours
 * there is only a comma, and perhaps white space.
 */
export interface RawItems {
  readonly bytes: Buffer
  readonly bounds: readonly number[]
}

/** A log record of which only the head was parsed. `itemsAt` is where the array of items begins; -1 without one. */
export interface OpenedRecording {
  readonly head: RecordingHead
  readonly payload: Buffer
  readonly itemsAt: number
}

/** Inside a JSON string a quote has a backslash before it, so this text can only be the member itself. */
const ITEMS = Buffer.from(',"items":[')

/** A record up to its items; they and `]}` follow. */
export const recordingStart = (head: RecordingHead): Buffer =>
  Buffer.concat([Buffer.from(stringifyJson(head).slice(0, -1)), ITEMS])

/** The items are the last member, so everything before them is the head. */
export function openRecording(payload: Buffer): OpenedRecording {
  const at = payload.indexOf(ITEMS)
  const headText = at < 0 ? payload.toString('utf8') : `${payload.toString('utf8', 0, at)}}`
  return {
    head: parseJson(headText) as unknown as RecordingHead,
    payload,
    itemsAt: at < 0 ? -1 : at + ITEMS.length - 1,
  }
}
