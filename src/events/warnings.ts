/**
 * All warnings: why an event was dropped or changed. The one table behind the ledger, the live view, the metrics and
 * the docs. `title` is the heading, `happened` says what was done with the event, `fix` what to send instead.
 */
export interface WarningReason {
  readonly title: string
  readonly happened: string
  readonly fix: string
}

const reason = (title: string, happened: string, fix: string): WarningReason => ({ title, happened, fix })

export const WARNINGS = {
  // Dropped by capture
  event_without_name: reason(
    'Event without a name',
    'The event has no name (missing, null or blank) and was not stored.',
    'Send a non-empty string as event.',
  ),
  distinct_id_missing: reason(
    'Event without a distinct id',
    'The event has no distinct_id, neither at its top level nor in its properties, and was not stored.',
    'Send distinct_id with every event: the id of the user, or a random id for an unknown visitor.',
  ),
  distinct_id_empty: reason(
    'Empty distinct id',
    'The distinct_id is empty or blank, and the event was not stored.',
    'Send distinct_id with at least one visible character; often a variable was not set yet.',
  ),
  event_too_large: reason(
    'Event too large',
    'The event is larger than 1 MB and was not stored.',
    'Send less in properties; put large texts and files elsewhere and send a link.',
  ),
  event_nested_too_deep: reason(
    'Event nested too deeply',
    'The properties are nested thousands of levels deep and the event was not stored.',
    'Send flatter properties.',
  ),
  invalid_item_dropped: reason(
    'Not an event',
    'An item of the request is not a JSON object and was not stored.',
    'Send each event as an object with event, distinct_id and properties.',
  ),
  event_refused: reason(
    'Event refused',
    'The event breaks a rule of the v1 protocol, which repairs nothing, and was not stored.',
    'Read the reason in the details; the response to the request has it too.',
  ),
  recording_without_session_id: reason(
    'Recording without a valid session id',
    'A $snapshot has no $session_id (up to 70 ASCII letters, digits and hyphens) and was not stored.',
    'Let the SDK record; do not change $session_id on the way.',
  ),
  recording_without_data: reason(
    'Recording without data',
    'A $snapshot has no $snapshot_data (an array or an object) and was not stored.',
    'Let the SDK record; check what a proxy between browser and service changes.',
  ),
  recording_item_invalid: reason(
    'Not an rrweb event',
    'An item of a recording has no type or no timestamp and was not stored; the rest of the recording was.',
    'Let the SDK record; check what a proxy between browser and service changes.',
  ),
  recording_item_unreadable: reason(
    'Compressed part of a recording not readable',
    'The event was stored as it came, but a player cannot show it.',
    'Check what a proxy between browser and service changes, or report which SDK compresses like this.',
  ),
  recording_clock_off: reason(
    'Clock of the browser is wrong',
    'The recording was stored and is listed under the time of its arrival.',
    'Nothing: the clock of that device is wrong.',
  ),
  recording_sent_again: reason(
    'Part of a recording sent again',
    'This part of the recording was already stored; it was counted once.',
    'Nothing: the client retried.',
  ),
  recording_was_deleted: reason(
    'Part of a deleted recording',
    'The recording was deleted before this part arrived, and the part was not stored.',
    'Nothing, if the deletion was meant.',
  ),
  recording_quota_reached: reason(
    'Recording quota reached',
    'The project has reached its recording quota of this month, and this recording was not stored.',
    'Raise recording_quota_per_month of the project, or record less.',
  ),
  client_ingestion_warning: reason(
    'Warning from an SDK',
    'An SDK reported a problem on its side; there is no event to store.',
    'Read the message in the details.',
  ),
  visitor_asked_not_to_be_tracked: reason(
    'Visitor asked not to be tracked',
    'The browser sent Do Not Track or Global Privacy Control, the project honours them, and nothing was stored.',
    'Nothing, if that is meant; the setting "Do Not Track" of the project decides.',
  ),
  // Changed by capture
  event_name_not_string: reason(
    'Event name is not a string',
    'The name was stored as its JSON text.',
    'Send event as a string.',
  ),
  event_name_too_long: reason(
    'Event name too long',
    'The name was cut to 200 characters.',
    'Use short, fixed names; put what varies into properties.',
  ),
  distinct_id_too_long: reason(
    'Distinct id too long',
    'The distinct_id was cut to 200 characters; ids that differ only after that become one person.',
    'Send ids of at most 200 characters.',
  ),
  invalid_uuid_replaced: reason(
    'Invalid uuid',
    'The uuid is not a valid UUID and was replaced by a new one, so a retry of this event cannot be recognised.',
    'Send a UUID (any version) or leave uuid out.',
  ),
  properties_not_object: reason(
    'Properties are not an object',
    'The properties were ignored; the event was stored without them.',
    'Send properties as a JSON object.',
  ),
  survey_without_id: reason(
    'Survey event without $survey_id',
    'The event was stored, but it belongs to no survey.',
    'Send the id of the survey as properties.$survey_id.',
  ),
  heatmap_data_invalid: reason(
    'Heatmap data not understood',
    'Points of $heatmap_data that cannot be placed on a page were left out; the rest of the event was stored.',
    'Send {"<url>": [{"x": 1, "y": 2, "type": "click"}]} with $viewport_width and $viewport_height.',
  ),
  // Time
  timestamp_unparsable: reason(
    'Timestamp not understood',
    'The event was stored with the time of its arrival.',
    'Send timestamp in ISO 8601, for example 2024-05-01T12:00:00Z.',
  ),
  timestamp_clamped: reason(
    'Timestamp too far off',
    'The timestamp is more than 23 hours in the future, or outside the years 0 to 9999, and was replaced.',
    'Check the clock of the client, and send sent_at with a batch so that it can be corrected.',
  ),
  event_too_old: reason(
    'Event too old',
    'The event is older than the project accepts and was not stored.',
    'Raise the age limit of the project, or import old events with historical_migration.',
  ),
  // Persons
  person_processing_deferred_spike: reason(
    'Too many events of one distinct id',
    'The event was stored; its person was not updated at once, because this distinct id sends too much.',
    'Give each user an id of their own; set historical_migration for imports.',
  ),
  cannot_merge_with_illegal_distinct_id: reason(
    'Refused to merge with a placeholder id',
    'The merge was refused, because the id (null, undefined, anonymous, 0 and the like) stands for many people.',
    'Call identify or alias only when the real id is known.',
  ),
  cannot_merge_already_identified: reason(
    'Refused to merge two identified persons',
    'The merge was refused and both persons stayed as they were.',
    'Call reset at sign-out, before another user is identified.',
  ),
  invalid_process_person_profile: reason(
    '$process_person_profile is not a boolean',
    'The value was ignored; the event was processed with a person.',
    'Send true or false.',
  ),
  invalid_event_when_process_person_profile_is_false: reason(
    'Identity event without person processing',
    'The event changes persons or groups but has $process_person_profile: false, and was not stored.',
    'Send $identify, $create_alias, $merge_dangerously and $groupidentify without that property.',
  ),
  set_not_object: reason(
    '$set or $set_once is not an object',
    'The value was ignored; the person was not changed by it.',
    'Send an object of person properties.',
  ),
  unset_wrong_type: reason(
    '$unset is neither a list nor an object',
    'The value was ignored; no person property was removed.',
    'Send a list of property names.',
  ),
  person_properties_too_large: reason(
    'Person properties too large',
    'The change was refused, because the properties of the person would exceed the size limit.',
    'Keep person properties small; put what happened into events.',
  ),
  property_value_changed: reason(
    'Property value cannot be kept as sent',
    'A person or group property is a number of more than 1,000 digits (now text), holds characters that cannot be stored (replaced) or is nested deeper than 64 levels (cut off). The event itself keeps what was sent.',
    'Send such numbers as strings, and flatter properties.',
  ),
  // Groups
  group_key_too_long: reason(
    'Group key too long',
    'The $groupidentify event was not stored: its key has more than 400 characters.',
    'Send a short key, such as the id of the company.',
  ),
  groups_not_object: reason(
    '$groups or $group_set is not an object',
    'The value was ignored; the event was stored.',
    'Send $groups as an object of group types and keys, and $group_set as an object of properties.',
  ),
  group_properties_too_large: reason(
    'Group properties too large',
    'The change was refused, because the properties of the group would exceed the size limit.',
    'Keep group properties small; put what happened into events.',
  ),
  group_type_limit: reason(
    'Too many group types',
    'The project has its five group types; the event was stored without this one.',
    'Use one of the existing group types, or a plain property.',
  ),
  too_many_names: reason(
    'Too many new names of events or properties',
    'The events were stored, but these names are not in lists and pickers: the project has brought more than 5,000 new names of events or 20,000 of properties within an hour, or has more than 20,000 or 50,000 altogether.',
    'Use fixed names; put ids, addresses and what else varies into the values of properties.',
  ),
  // Feature flags
  feature_flag_unreadable: reason(
    'Feature flag that cannot be read',
    'The stored definition of a feature flag is not valid. The flag is off for everybody; other flags are not affected.',
    'Open the flag, correct what the details name, and save it.',
  ),
  // Delivery
  duplicate_event: reason(
    'Event sent again',
    'An event with this uuid was already stored; it was counted once.',
    'Nothing, if the client retried. Otherwise give each event a uuid of its own.',
  ),
  dead_letter: reason(
    'Event could not be processed',
    'Processing failed; the complete event is kept as a dead letter.',
    'Read the details, and report it as a bug.',
  ),
} as const satisfies Record<string, WarningReason>

export type WarningType = keyof typeof WARNINGS
