import { type EventDraft, ok, type StepResult, warn } from './step.ts'

const SURVEY_EVENTS = new Set(['survey sent', 'survey shown', 'survey dismissed'])

/** A survey event without its survey is stored, but nobody will find it: say so. */
export function surveyStep(draft: EventDraft): StepResult {
  if (!SURVEY_EVENTS.has(draft.event)) return ok()
  const id = draft.properties.$survey_id
  return typeof id === 'string' && id !== '' ? ok() : ok(warn(draft, 'survey_without_id'))
}
