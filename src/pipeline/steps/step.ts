import type { Warning, WarningType } from '../../events/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'

/**
 * The life of an event between log and tables is a list of steps. A step is a function over one event: it may change the draft,
 * and says what became of it as a value. Bad data is a result; only a bug is an exception (and makes a dead letter).
 */
export interface EventDraft {
  readonly project: ProjectSettings
  readonly uuid: string
  readonly clientUuid: boolean
  readonly event: string
  readonly distinctId: string
  properties: JsonObject
  /** ms since epoch; set by the timestamp step. */
  timestamp: number
  readonly receivedAt: number
  readonly sentAt: string | number | null
  readonly ip: string | null
  readonly historical: boolean
  elementsChain: string
  sessionId: string
  personProcessing: 'full' | 'off' | 'deferred'
  readonly rawTimestamp: Json | null
  readonly rawOffset: Json | null
}

/** What processing needs to know of a project. */
export interface ProjectSettings {
  readonly id: number
  readonly anonymizeIps: boolean
  readonly dropEventsOlderThanSeconds: number | null
  readonly ingestedEvent: boolean
  readonly recordingRetentionDays: number
  readonly recordingQuotaPerMonth: number | null
}

export type StepResult =
  | { readonly kind: 'ok'; readonly warnings: readonly Warning[] }
  | { readonly kind: 'drop'; readonly warnings: readonly Warning[] }
  | { readonly kind: 'deadLetter'; readonly reason: string; readonly error: string }

export type Step = (draft: EventDraft) => StepResult

const FINE: StepResult = { kind: 'ok', warnings: [] }

export const ok = (...warnings: Warning[]): StepResult => (warnings.length === 0 ? FINE : { kind: 'ok', warnings })
export const drop = (...warnings: Warning[]): StepResult => ({ kind: 'drop', warnings })
export const deadLetter = (reason: string, error: string): StepResult => ({ kind: 'deadLetter', reason, error })

export const warn = (draft: EventDraft, type: WarningType, details: JsonObject = {}): Warning => ({
  type,
  event: draft.event,
  distinctId: draft.distinctId,
  uuid: draft.uuid,
  details,
})
