import type { Json, Properties } from '../lib/json.ts'

/** What the API answers, as far as the pages read it. */
export interface Page<T> {
  count: number
  next: string | null
  previous: string | null
  results: T[]
}

export interface Project {
  id: number
  uuid: string
  organization: string
  name: string
  api_token: string
  timezone: string
  ingested_event: boolean
}

export interface User {
  id: number
  uuid: string
  distinct_id?: string
  first_name: string
  last_name: string
  email: string
  role_at_organization?: string
  has_password?: boolean
  /** May see how the service itself is. */
  is_staff?: boolean
}

export interface Person {
  id: number | string
  uuid: string
  name: string
  distinct_ids: string[]
  properties: Properties | null
  created_at: string
  last_seen_at?: string | null
  is_identified?: boolean
}

export interface EventRecord {
  id: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Properties
  person: Person | null
  elements_chain: string
}

export interface IngestionWarning {
  type: string
  title?: string
  happened?: string
  fix?: string
  count: number
  first_seen: string
  last_seen: string
  samples: {
    timestamp: string
    event: string | null
    distinct_id: string | null
    uuid: string | null
    details: Properties
  }[]
}

export interface GroupType {
  group_type: string
  group_type_index: number
  name_singular: string | null
  name_plural: string | null
}

export interface Group {
  group_type_index: number
  group_key: string
  group_properties: Properties
  created_at: string
}

/** What people wrote beside a definition. */
export interface DefinitionNotes {
  description?: string
  tags?: string[]
  hidden?: boolean
  verified?: boolean
  verified_at?: string | null
  verified_by?: User | null
}

export interface EventDefinition extends DefinitionNotes {
  id: string
  name: string
  volume_30_day?: number | null
  /** Of all time, where the volume is not told. */
  count?: number
  query_usage_30_day?: number | null
  last_seen_at: string | null
  created_at?: string
}

export interface PropertyDefinition extends DefinitionNotes {
  id: string
  name: string
  type?: number | 'event' | 'person' | 'group'
  property_type: string | null
  is_numerical?: boolean
  count?: number
  example?: Json
  samples?: Json[]
  is_seen_on_filtered_events?: boolean | null
  group_type_index?: number | null
  /** Of events, persons or groups, when it was asked for. */
  share?: number | null
}

export interface Recording {
  id: string
  distinct_id: string
  person: Person | null
  start_time: string
  end_time: string
  recording_duration: number
  active_seconds: number
  click_count: number
  keypress_count: number
  console_error_count: number
  start_url: string | null
  viewed: boolean
  ongoing?: boolean
}

export interface ActionStep {
  event: string | null
  url: string | null
  url_matching: 'contains' | 'exact' | 'regex' | null
  text: string | null
  href: string | null
  selector: string | null
  properties: Json
}

export interface Action {
  id: number
  name: string | null
  description: string
  tags: string[]
  steps: ActionStep[]
  created_at: string
  created_by: User | null
}

export interface Cohort {
  id: number
  name: string | null
  description: string
  filters: Json
  groups: Json
  is_static: boolean
  count: number | null
  last_calculation: string | null
  created_at: string
  created_by: User | null
}

/** A recording that was asked for by itself. */
export interface OneRecording extends Recording {
  /** Stretches of it that can be asked for by themselves. */
  blocks: { start: number; end: number; bytes: number }[]
}

export interface Playlist {
  id: number
  short_id: string
  name: string
  derived_name: string
  description: string
  pinned: boolean
  created_at: string
  created_by: User
  deleted: boolean
  filters: Json
  last_modified_at: string
  /** Flags are 0 or 1; what is not known yet is left out. */
  recordings_counts: {
    saved_filters: { count?: number; watched_count?: number; has_more?: number }
    collection: { count: number; watched_count: number }
  }
}

export interface Insight {
  id: number
  short_id: string
  name: string | null
  derived_name: string | null
  description: string | null
  query: Json
  filters?: Json
  favorited: boolean
  saved: boolean
  tags: string[]
  created_by: User | null
  created_at: string
  last_modified_at: string
  last_viewed_at?: string | null
  dashboards?: number[]
  deleted?: boolean
}

export interface Tile {
  id: number
  insight: Insight | null
  text?: { body: string } | null
  deleted?: boolean | null
  layouts: { sm?: { x: number; y: number; w: number; h: number } }
}

export interface Dashboard {
  id: number
  name: string
  description: string
  pinned: boolean
  created_at: string
  created_by: User | null
  tiles?: Tile[]
  filters?: { date_from?: string | null; date_to?: string | null }
}

export interface PersonalKey {
  id: string
  label: string
  value: string | null
  mask_value: string | null
  created_at: string
  last_used_at: string | null
  scopes: string[]
  scoped_teams?: number[]
  expires_at?: string | null
  allowed_addresses?: string[]
}

export interface Deletion {
  id: number | string
  kind: string
  person_uuid: string
  requested_at: string
  requested_by: User | string | null
  scheduled_for: string
  status: 'pending' | 'done'
  ran_at: string | null
  events_deleted: number | null
  recordings_deleted: number | null
  verified: boolean | null
}
