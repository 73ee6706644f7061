import { elementsChainOf } from '../../events/index.ts'
import { isoTimestamp } from '../../lib/timestamps.ts'
import { isUuid } from '../../lib/uuid.ts'
import { ok, type PipelineEvent, type StepResult } from './step.ts'
import { sentAtOf } from './timestamp.ts'

/** Adds what is known from the request, and moves properties that have a column of their own. */
export function propertiesStep(event: PipelineEvent): StepResult {
  const { properties, project } = event
  if (project.anonymizeIps || properties.$cookieless_mode === true) delete properties.$ip
  else if (properties.$ip === undefined && event.ip !== null)
    properties.$ip = properties.capture_internal === true ? '127.0.0.1' : event.ip

  const sentAt = sentAtOf(event)
  if (sentAt !== null && properties.$sent_at === undefined) properties.$sent_at = isoTimestamp(sentAt)

  if (typeof properties.$session_id === 'string') {
    if (isUuid(properties.$session_id)) properties.$session_id = properties.$session_id.toLowerCase()
    event.sessionId = properties.$session_id
  }
  event.elementsChain = elementsChainOf(properties)
  delete properties.$elements_chain
  delete properties.$elements
  return ok()
}
