import { type CapturedRequest, decodeCaptured, type ProjectWarning } from '../../events/index.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { LogRange } from '../../log/index.ts'
import { type DeadLetter, unreadableRecord } from '../shared/dead-letters.ts'
import { draftFrom } from '../steps/draft.ts'
import { deadLetter, type EventDraft, type ProjectSettings, type Step, type StepResult } from '../steps/step.ts'

/** A fixed range of the log on its way into the tables. */
export interface Batch {
  readonly range: LogRange
  events: BatchEvent[]
  readonly warnings: ProjectWarning[]
  readonly deadLetters: DeadLetter[]
}

export interface BatchEvent {
  readonly draft: EventDraft
  readonly position: number
  /** The event as captured, for the dead letter it may become. */
  readonly payload: () => string
}

interface DecodedRange {
  readonly range: LogRange
  readonly requests: readonly { readonly position: number; readonly request: CapturedRequest }[]
  readonly unreadable: readonly DeadLetter[]
}

export function decodeRange(range: LogRange): DecodedRange {
  const requests: DecodedRange['requests'][number][] = []
  const unreadable: DeadLetter[] = []
  for (const record of range.records) {
    try {
      requests.push({ position: record.position, request: decodeCaptured(record.payload) })
    } catch (error) {
      unreadable.push(unreadableRecord(record, error))
    }
  }
  return { range, requests, unreadable }
}

/** Runs every event of a range through the steps. One bad event costs itself only. */
export function openBatch(
  { range, requests, unreadable }: DecodedRange,
  projects: ReadonlyMap<number, ProjectSettings>,
  steps: readonly Step[],
): Batch {
  const batch: Batch = { range, events: [], warnings: [], deadLetters: [...unreadable] }
  for (const { position, request } of requests) {
    const project = projects.get(request.project)
    for (const warning of request.warnings)
      batch.warnings.push({ ...warning, project: request.project, at: request.receivedAt })
    for (const captured of request.events) {
      const payload = () => stringifyJson(captured)
      if (project) runSteps(batch, { draft: draftFrom(request, captured, project), position, payload }, steps)
      else
        batch.deadLetters.push({
          project: request.project,
          position,
          uuid: captured.uuid,
          reason: 'unknown_project',
          error: 'the project no longer exists',
          payload: payload(),
        })
    }
  }
  return batch
}

function runSteps(batch: Batch, event: BatchEvent, steps: readonly Step[]): void {
  const { draft } = event
  for (const step of steps) {
    const result = resultOf(step, draft)
    if (result.kind === 'deadLetter') {
      bury(batch, event, result.reason, result.error)
      return
    }
    for (const warning of result.warnings)
      batch.warnings.push({ ...warning, project: draft.project.id, at: draft.receivedAt })
    if (result.kind === 'drop') return
  }
  batch.events.push(event)
}

function resultOf(step: Step, draft: EventDraft): StepResult {
  try {
    return step(draft)
  } catch (error) {
    return deadLetter('step_failed', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

/** Puts an event among the dead letters, and says so in the ledger. */
export function bury(batch: Batch, { draft, position, payload }: BatchEvent, reason: string, error: string): void {
  const project = draft.project.id
  batch.deadLetters.push({ project, position, uuid: draft.uuid, reason, error, payload: payload() })
  batch.warnings.push({
    type: 'dead_letter',
    event: draft.event,
    distinctId: draft.distinctId,
    uuid: draft.uuid,
    details: { reason, error: error.split('\n')[0]?.slice(0, 500) ?? '' },
    project,
    at: draft.receivedAt,
  })
}
