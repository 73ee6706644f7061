import type { CapturedEvent, CapturedRequest } from '../../events/index.ts'
import type { PipelineEvent, ProjectSettings } from './step.ts'

/** An event as it enters the steps. */
export const toPipelineEvent = (
  request: CapturedRequest,
  captured: CapturedEvent,
  project: ProjectSettings,
): PipelineEvent => ({
  project,
  uuid: captured.uuid,
  clientUuid: captured.clientUuid,
  event: captured.event,
  distinctId: captured.distinctId,
  properties: captured.properties,
  timestamp: request.receivedAt,
  receivedAt: request.receivedAt,
  sentAt: request.sentAt,
  ip: request.ip,
  geo: request.geo,
  device: request.device,
  historical: request.historical,
  elementsChain: '',
  sessionId: '',
  heatmap: undefined,
  personProcessing: 'full',
  rawTimestamp: captured.timestamp,
  rawOffset: captured.offset,
})
