/** What queries may read. */
export const SCHEMA = {
  events: [
    'uuid',
    'event',
    'timestamp',
    'distinct_id',
    'person_id',
    'properties',
    'person.properties',
    'elements_chain',
    'created_at',
    '$session_id',
  ],
  persons: ['id', 'created_at', 'properties', 'is_identified'],
  person_distinct_ids: ['distinct_id', 'person_id'],
  groups: ['index', 'key', 'created_at', 'properties'],
  sessions: [
    'session_id',
    'distinct_id',
    '$start_timestamp',
    '$end_timestamp',
    '$entry_current_url',
    '$entry_pathname',
    '$pageview_count',
    '$session_duration',
    '$is_bounce',
  ],
  cohort_people: ['cohort_id', 'person_id'],
} as const

export type TableName = keyof typeof SCHEMA
