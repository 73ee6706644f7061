import { elementsChainOf } from '../../events/index.ts'
import { isoTimestamp } from '../../lib/timestamps.ts'
import { isUuid } from '../../lib/uuid.ts'
import { type EventDraft, ok, type StepResult } from './step.ts'
import { sentAtOf } from './timestamp.ts'

/** Fills in what the connection knows, and moves what has a column of its own out of the properties. */
export function propertiesStep(draft: EventDraft): StepResult {
  const { properties, project } = draft
  if (project.anonymizeIps || properties.$cookieless_mode === true) delete properties.$ip
  else if (properties.$ip === undefined && draft.ip !== null)
    properties.$ip = properties.capture_internal === true ? '127.0.0.1' : draft.ip

  const sentAt = sentAtOf(draft)
  if (sentAt !== null && properties.$sent_at === undefined) properties.$sent_at = isoTimestamp(sentAt)

  if (typeof properties.$session_id === 'string') {
    if (isUuid(properties.$session_id)) properties.$session_id = properties.$session_id.toLowerCase()
    draft.sessionId = properties.$session_id
  }
  draft.elementsChain = elementsChainOf(properties)
  delete properties.$elements_chain
  delete properties.$elements
  return ok()
}
