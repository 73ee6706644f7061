import { type CapturedRequest, decodeCaptured, type ProjectWarning } from '../../events/index.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { LogRange } from '../../log/index.ts'
import { type DeadLetter, unreadableRecord } from '../shared/dead-letters.ts'
import { toPipelineEvent } from '../steps/pipeline-event.ts'
import { deadLetter, type PipelineEvent, type ProjectSettings, type Step, type StepResult } from '../steps/step.ts'

/** The events of a fixed range of the log, while they are processed. */
export interface Batch {
  readonly range: LogRange
  events: BatchEvent[]
  readonly warnings: ProjectWarning[]
  readonly deadLetters: DeadLetter[]
}

export interface BatchEvent {
  readonly event: PipelineEvent
  readonly position: number
  /** The event as captured, in case it becomes a dead letter. */
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

/** Runs every event of a range through the steps. A bad event costs only itself. */
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
      if (project) runSteps(batch, { event: toPipelineEvent(request, captured, project), position, payload }, steps)
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

function runSteps(batch: Batch, item: BatchEvent, steps: readonly Step[]): void {
  const { event } = item
  for (const step of steps) {
    const result = resultOf(step, event)
    if (result.kind === 'deadLetter') {
      addDeadLetter(batch, item, result.reason, result.error)
      return
    }
    for (const warning of result.warnings)
      batch.warnings.push({ ...warning, project: event.project.id, at: event.receivedAt })
    if (result.kind === 'drop') return
  }
  batch.events.push(item)
}

function resultOf(step: Step, event: PipelineEvent): StepResult {
  try {
    return step(event)
  } catch (error) {
    return deadLetter('step_failed', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

/** Adds an event to the dead letters, with a warning. */
export function addDeadLetter(
  batch: Batch,
  { event, position, payload }: BatchEvent,
  reason: string,
  error: string,
): void {
  const project = event.project.id
  batch.deadLetters.push({ project, position, uuid: event.uuid, reason, error, payload: payload() })
  batch.warnings.push({
    type: 'dead_letter',
    event: event.event,
    distinctId: event.distinctId,
    uuid: event.uuid,
    details: { reason, error: error.split('\n')[0]?.slice(0, 500) ?? '' },
    project,
    at: event.receivedAt,
  })
}
