import type { Warning } from '../events/captured.ts'
import type { JsonObject } from '../lib/json.ts'
import type { IdentityEvent } from './types.ts'

/** The reasons this room gives. Names are those the wire's clients know where there is one. */
export type IdentityWarning =
  | 'invalid_process_person_profile'
  | 'invalid_event_when_process_person_profile_is_false'
  | 'invalid_person_properties'
  | 'cannot_merge_with_illegal_distinct_id'
  | 'cannot_merge_already_identified'
  | 'person_properties_size_violation'
  | 'invalid_groups'
  | 'group_type_limit_exceeded'
  | 'group_key_too_long'
  | 'group_properties_size_violation'

export const warning = (
  type: IdentityWarning,
  event: Pick<IdentityEvent, 'event' | 'distinctId' | 'uuid'>,
  details: JsonObject = {},
): Warning => ({ type, event: event.event, distinctId: event.distinctId, uuid: event.uuid, details })
