import { type Json, type JsonObject, parseJson, stringifyJson } from '../lib/json.ts'
import type { WarningType } from './warnings.ts'

/**
 * What capture writes to the log and the pipeline reads from it: one accepted request, or the part of it that falls into
 * one partition. Everything random or dependent on the clock (uuid, receive time) is decided before it is written, so that
 * processing the same record twice gives the same events.
 */
export interface CapturedRequest {
  readonly project: number
  /** Receive time, ms since epoch. */
  readonly receivedAt: number
  /** The client's clock when it sent the request, as sent (ISO text or ms), if it said so. */
  readonly sentAt: string | number | null
  readonly ip: string | null
  readonly historical: boolean
  readonly events: readonly CapturedEvent[]
  /** What was dropped or mended on the way in: the ledger is written by the pipeline, so a warning is as durable as an event. */
  readonly warnings: readonly Warning[]
}

export interface CapturedEvent {
  readonly uuid: string
  /** False when the uuid is ours: such an event cannot be a retry. */
  readonly clientUuid: boolean
  readonly event: string
  readonly distinctId: string
  readonly properties: JsonObject
  /** As sent; the pipeline's timestamp step reads them. */
  readonly timestamp: Json | null
  readonly offset: Json | null
}

/** A row for the ledger of what was dropped, mended or refused. */
export interface Warning {
  readonly type: WarningType
  readonly event: string | null
  readonly distinctId: string | null
  readonly uuid: string | null
  readonly details: JsonObject
  /** How many times it happened, when that is more than once: a request of 30,000 nameless events keeps 1,000 samples. */
  readonly count?: number
}

/**
 * One upload of a session recording (or a part of a large one), alone in the recordings lane. `items` are rrweb events exactly
 * as sent, still compressed inside where the SDK did so.
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

/** JSON.stringify escapes a lone surrogate, so the text is valid UTF-8 and such a character survives. */
export const encodeRecording = (recording: CapturedRecording): Buffer => Buffer.from(stringifyJson(recording))

export const decodeRecording = (payload: Buffer): CapturedRecording =>
  parseJson(payload.toString('utf8')) as unknown as CapturedRecording
