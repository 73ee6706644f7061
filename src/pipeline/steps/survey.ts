import { ok, type PipelineEvent, type StepResult, warn } from './step.ts'

const SURVEY_EVENTS = new Set(['survey sent', 'survey shown', 'survey dismissed'])

/** A survey event without the id of its survey is stored, with a warning: no survey will show it. */
export function surveyStep(event: PipelineEvent): StepResult {
  if (!SURVEY_EVENTS.has(event.event)) return ok()
  const id = event.properties.$survey_id
  return typeof id === 'string' && id !== '' ? ok() : ok(warn(event, 'survey_without_id'))
}
