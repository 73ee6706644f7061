import { isoTimestamp } from '../../lib/timestamps.ts'
import { drop, type EventDraft, ok, type StepResult, warn } from './step.ts'

/** A project may refuse events that arrive too late. Imports are exempt: they are old on purpose. */
export function ageLimitStep(draft: EventDraft): StepResult {
  const limit = draft.project.dropEventsOlderThanSeconds
  if (!limit || draft.historical || draft.receivedAt - draft.timestamp <= limit * 1000) return ok()
  return drop(warn(draft, 'event_too_old', { timestamp: isoTimestamp(draft.timestamp), limit_seconds: limit }))
}
