import { type Json, type JsonObject, parseJson, stringifyJson } from '../lib/json.ts'
import type { Device } from './visitor/device.ts'
import type { WarningType } from './warnings.ts'

/**
 * What capture writes to the log and the pipeline reads from it: one accepted request, or the part of it that belongs
 * to one partition. Random values and times (uuid, receive time) are decided before it is written, so that processing a
 * record twice gives the same events.
 */
export interface CapturedRequest {
  readonly project: number
  /** Receive time, ms since epoch. */
  readonly receivedAt: number
  /** The client's clock when it sent the request, as sent (ISO text or ms), if given. */
  readonly sentAt: string | number | null
  readonly ip: string | null
  readonly historical: boolean
  /** What the request says of the visitor: looked up before the address is dropped. */
  readonly geo?: JsonObject
  readonly device?: Device
  readonly events: readonly CapturedEvent[]
  /** What capture dropped or changed. The pipeline stores it, so a warning is as durable as an event. */
  readonly warnings: readonly Warning[]
}

export interface CapturedEvent {
  readonly uuid: string
  /** False when capture made the uuid and it cannot come again: such an event cannot be a retry. */
  readonly clientUuid: boolean
  readonly event: string
  readonly distinctId: string
  readonly properties: JsonObject
  /** As sent; the pipeline's timestamp step reads them. */
  readonly timestamp: Json | null
  readonly offset: Json | null
}

/** A warning about something that was dropped, changed or refused. */
export interface Warning {
  readonly type: WarningType
  readonly event: string | null
  readonly distinctId: string | null
  readonly uuid: string | null
  readonly details: JsonObject
  /** How many times it happened, if more than once: a request of 30,000 nameless events keeps 1,000 samples. */
  readonly count?: number
}

/**
 * One upload of a session recording (or a part of a large one), a record of the recordings partition. `items` are rrweb
 * events exactly as sent, still compressed inside if the SDK did so.
 */
export interface CapturedRecording {
  readonly project: number
  readonly receivedAt: number
  readonly sentAt: string | number | null
  readonly ip: string | null
  readonly distinctId: string
  readonly sessionId: string
  readonly windowId: string
  readonly snapshotSource: string
  readonly lib: string
  readonly items: readonly Json[]
}

export const encodeCaptured = (request: CapturedRequest): Buffer => Buffer.from(stringifyJson(request))

export const decodeCaptured = (payload: Buffer): CapturedRequest =>
  parseJson(payload.toString('utf8')) as unknown as CapturedRequest

/** JSON.stringify escapes a lone surrogate, so the text is valid UTF-8 and the character is kept. */
export const encodeRecording = (recording: CapturedRecording): Buffer => Buffer.from(stringifyJson(recording))

export const decodeRecording = (payload: Buffer): CapturedRecording =>
  parseJson(payload.toString('utf8')) as unknown as CapturedRecording
