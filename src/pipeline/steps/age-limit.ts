import { isoTimestamp } from '../../lib/timestamps.ts'
import { drop, ok, type PipelineEvent, type StepResult, warn } from './step.ts'

/** A project may drop events that arrive too late. Imports are exempt: they are old on purpose. */
export function ageLimitStep(event: PipelineEvent): StepResult {
  const limit = event.project.dropEventsOlderThanSeconds
  if (!limit || event.historical || event.receivedAt - event.timestamp <= limit * 1000) return ok()
  return drop(warn(event, 'event_too_old', { timestamp: isoTimestamp(event.timestamp), limit_seconds: limit }))
}
