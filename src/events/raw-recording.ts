import { parseJson, stringifyJson } from '../lib/json.ts'
import type { CapturedRecording } from './captured.ts'

/** Everything about an upload but what was recorded. */
export type RecordingHead = Omit<CapturedRecording, 'items'>

/**
 * JSON values that nobody has read: where they lie in some bytes (from, to, from, to, ...). Between neighbours is a comma, and blanks at
 * most.
 */
export interface RawItems {
  readonly bytes: Buffer
  readonly bounds: readonly number[]
}

/** A record of the log, of which only the head was read. `itemsAt` is where the array of items begins; -1 without one. */
export interface OpenedRecording {
  readonly head: RecordingHead
  readonly payload: Buffer
  readonly itemsAt: number
}

/** In the text of a string a quote has a backslash before it, so this is the member itself. */
const ITEMS = Buffer.from(',"items":[')

/** A record up to its items; they and `]}` follow. */
export const recordingStart = (head: RecordingHead): Buffer =>
  Buffer.concat([Buffer.from(stringifyJson(head).slice(0, -1)), ITEMS])

/** The items come last, so the head is all before them. */
export function openRecording(payload: Buffer): OpenedRecording {
  const at = payload.indexOf(ITEMS)
  const headText = at < 0 ? payload.toString('utf8') : `${payload.toString('utf8', 0, at)}}`
  return {
    head: parseJson(headText) as unknown as RecordingHead,
    payload,
    itemsAt: at < 0 ? -1 : at + ITEMS.length - 1,
  }
}
