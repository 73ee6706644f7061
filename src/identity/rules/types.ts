import type { Warning } from '../../events/index.ts'
import type { JsonObject } from '../../lib/json.ts'

/**
 * What may happen to the person of an event:
 *   full      looked up or created, changed by $set and the like, merged
 *   off       looked up only, because the event or its project says so
 *   deferred  looked up only, because too many events of one distinct id arrive at once; its property changes are
 *             applied later
 */
export type PersonProcessing = 'full' | 'off' | 'deferred'
export type PersonMode = 'full' | 'propertyless' | 'force_upgrade'

export interface IdentityEvent {
  readonly project: number
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** When it happened, ms since epoch. */
  readonly timestamp: number
  readonly properties: JsonObject
  readonly personProcessing: PersonProcessing
}

export interface IdentifiedEvent {
  readonly kind: 'keep'
  /** As they will be stored. The same object as in the input when nothing was added or removed. */
  readonly properties: JsonObject
  readonly distinctId: string
  readonly personId: string
  /** Person properties as of this event. Shared between events: must not be changed. */
  readonly personProperties: JsonObject
  readonly personMode: PersonMode
  /** ms since epoch */
  readonly personCreatedAt: number
  /** Keys of the groups 0 to 4, '' where there is none. */
  readonly groups: GroupKeys
  /** For a `$groupidentify` that was applied: the index of its group type. */
  readonly groupTypeIndex: number | null
  readonly warnings: readonly Warning[]
}

interface DroppedEvent {
  readonly kind: 'drop'
  readonly reason: string
  readonly warnings: readonly Warning[]
}

export type EventOutcome = IdentifiedEvent | DroppedEvent
export type GroupKeys = [string, string, string, string, string]

/** Rows of the copies in ClickHouse, ready to be written as NDJSON. */
export interface PersonRow {
  readonly project_id: number
  readonly id: string
  readonly created_at: string
  /** JSON text */
  readonly properties: string
  /** The same for the JSON column: see property-column.ts. */
  readonly props: Readonly<Record<string, string>>
  readonly is_identified: 0 | 1
  readonly is_deleted: 0 | 1
  readonly version: number
}

export interface PersonOverrideRow {
  readonly project_id: number
  readonly old_person_id: string
  readonly person_id: string
  readonly is_deleted: 0 | 1
  readonly version: number
}

export interface GroupRow {
  readonly project_id: number
  readonly group_type_index: number
  readonly group_key: string
  readonly created_at: string
  /** JSON text */
  readonly properties: string
  /** The same for the JSON column: see property-column.ts. */
  readonly props: Readonly<Record<string, string>>
  readonly version: number
}

export interface CohortPersonRow {
  readonly project_id: number
  readonly cohort_id: number
  readonly person_id: string
  readonly is_deleted: 0 | 1
  readonly version: number
}

export interface ClickHouseCopies {
  readonly persons: readonly PersonRow[]
  readonly cohort_people: readonly CohortPersonRow[]
  readonly person_overrides: readonly PersonOverrideRow[]
  readonly groups: readonly GroupRow[]
}

export interface IdentityOutcome {
  /** One for each event, in order. */
  readonly events: readonly EventOutcome[]
  readonly rows: ClickHouseCopies
}
