import { uuidV7 } from '../../../lib/uuid.ts'
import { draftFrom } from '../draft.ts'
import type { EventDraft } from '../step.ts'

/** A draft with the given fields, for tests of single steps. */
export function draftOf(fields: Record<string, unknown> = {}): EventDraft {
  const {
    receivedAt = Date.now(),
    sentAt = null,
    ip = null,
    historical = false,
    project = {},
    ...event
  } = fields as Record<string, never>
  return draftFrom(
    { project: 1, receivedAt, sentAt, ip, historical, events: [], warnings: [] },
    {
      uuid: uuidV7(),
      clientUuid: true,
      event: 'tested',
      distinctId: 'somebody',
      properties: {},
      timestamp: null,
      offset: null,
      ...event,
    },
    {
      id: 1,
      anonymizeIps: false,
      dropEventsOlderThanSeconds: null,
      ingestedEvent: true,
      recordingRetentionDays: 30,
      recordingQuotaPerMonth: null,
      ...(project as object),
    },
  )
}
