import { z } from 'zod'

/**
 * The format of an export: a JSON object on each line. An event is as capture takes it; every other line has one key
 * that names its kind:
 *
 *   {"footfall_export": ...}     first: where it comes from
 *   {"group_type": ...}          before the events, so that types keep their index
 *   {"person": ...}              before the events: which distinct ids are one person, so that every event gets its
 *                                person
 *   {"event": ...}               oldest first; their changes to persons and groups happen again, in order
 *   {"group": ...}               after the events: properties as they are now
 *   {"person_properties": ...}   after the events: includes changes through the API and by events that were deleted
 */
export const GROUP_TYPE = z.object({
  group_type: z.string().min(1),
  group_type_index: z.int().min(0).max(4),
  name_singular: z.string().nullable().default(null),
  name_plural: z.string().nullable().default(null),
})

export const PERSON = z.object({
  uuid: z.guid(),
  distinct_ids: z.array(z.string().min(1)).min(1),
  /** Distinct ids that an alias made the main one. */
  main_distinct_ids: z.array(z.string()).default([]),
  created_at: z.iso.datetime({ offset: true }),
  is_identified: z.boolean(),
})

export const GROUP = z.object({
  group_type: z.string().min(1),
  group_key: z.string().min(1),
  created_at: z.iso.datetime({ offset: true }),
  properties: z.record(z.string(), z.any()),
})

export const PERSON_PROPERTIES = z.object({
  distinct_id: z.string().min(1),
  last_seen_at: z.iso.datetime({ offset: true }).nullable(),
  properties: z.record(z.string(), z.any()),
})

/** The lines that are not events, by their key. */
export const IDENTITY_LINES = {
  group_type: GROUP_TYPE,
  person: PERSON,
  group: GROUP,
  person_properties: PERSON_PROPERTIES,
} as const

export type IdentityKind = keyof typeof IDENTITY_LINES

/** Lines of one kind, for one project, that the service stores at once. */
export interface IdentityBatch {
  readonly project: number
  readonly kind: IdentityKind
  readonly lines: readonly unknown[]
}

export const EXPORT_VERSION = 1
