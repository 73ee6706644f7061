import { uuidV7 } from '../../../lib/uuid.ts'
import { toPipelineEvent } from '../pipeline-event.ts'
import type { PipelineEvent } from '../step.ts'

/** A project as it is made. */
export const PROJECT = {
  id: 1,
  anonymizeIps: false,
  dropEventsOlderThanSeconds: null,
  ingestedEvent: true,
  recordingRetentionDays: 30,
  recordingQuotaPerMonth: null,
}

/** An event with the given fields, for tests of single steps. */
export function pipelineEvent(fields: Record<string, unknown> = {}): PipelineEvent {
  const {
    receivedAt = Date.now(),
    sentAt = null,
    ip = null,
    historical = false,
    project = {},
    geo,
    device,
    ...event
  } = fields as Record<string, never>
  return toPipelineEvent(
    { project: 1, receivedAt, sentAt, ip, historical, geo, device, events: [], warnings: [] },
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
    { ...PROJECT, ...(project as object) },
  )
}
