import type { Device, HeatmapPoint, Warning, WarningType } from '../../events/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'

/**
 * Between log and tables an event goes through a list of steps. A step is a function over one event: it may change the
 * event, and returns what became of it. Bad data is a result; only a bug is an exception (and the event becomes a dead
 * letter).
 */
export interface PipelineEvent {
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
  readonly geo?: JsonObject | undefined
  readonly device?: Device | undefined
  readonly historical: boolean
  elementsChain: string
  sessionId: string
  /** Set by the heatmap step. */
  heatmap: readonly HeatmapPoint[] | undefined
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

export type Step = (event: PipelineEvent) => StepResult

const FINE: StepResult = { kind: 'ok', warnings: [] }

export const ok = (...warnings: Warning[]): StepResult => (warnings.length === 0 ? FINE : { kind: 'ok', warnings })
export const drop = (...warnings: Warning[]): StepResult => ({ kind: 'drop', warnings })
export const deadLetter = (reason: string, error: string): StepResult => ({ kind: 'deadLetter', reason, error })

export const warn = (event: PipelineEvent, type: WarningType, details: JsonObject = {}): Warning => ({
  type,
  event: event.event,
  distinctId: event.distinctId,
  uuid: event.uuid,
  details,
})
