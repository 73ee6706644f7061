import type { Warning, WarningType } from '../events/index.ts'
import type { JsonObject } from '../lib/json.ts'
import type { IdentityEvent } from './types.ts'

export const warning = (
  type: WarningType,
  event: Pick<IdentityEvent, 'event' | 'distinctId' | 'uuid'>,
  details: JsonObject = {},
): Warning => ({ type, event: event.event, distinctId: event.distinctId, uuid: event.uuid, details })
