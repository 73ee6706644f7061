import { z } from 'zod'
import { anyJson, dateTime, id, properties, uuid } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { flag, idList, integer, keptJson, keptObject } from '../fields.ts'

const personFields = {
  id,
  uuid,
  name: z.string(),
  distinct_ids: z.array(z.string()),
  properties,
  created_at: dateTime,
  is_identified: z.boolean(),
}

/** A person as embedded in an event or a recording. */
export const embeddedPersonSchema = z.object(personFields).meta({ id: 'EmbeddedPerson' })
export type EmbeddedPerson = z.infer<typeof embeddedPersonSchema>

export const personSchema = z.object({ ...personFields, last_seen_at: dateTime.nullable() }).meta({ id: 'Person' })
export type Person = z.infer<typeof personSchema>

/** A person in a list of persons. */
export const listedPersonSchema = personSchema
  .extend({ type: z.literal('person'), matched_recordings: z.array(z.never()), value_at_data_point: z.null() })
  .meta({ id: 'ListedPerson' })
export type ListedPerson = z.infer<typeof listedPersonSchema>

/** What a list of persons may be asked for. Everything given must hold. */
export const personListQuerySchema = pageQuerySchema.extend({
  distinct_id: z.string().optional(),
  email: z.string().optional(),
  search: z.string().optional(),
  properties: z
    .unknown()
    .meta({ type: 'array', items: { type: 'object' }, description: 'Filters, as JSON text or in brackets.' })
    .optional(),
  cohort: integer.transform(String).optional().meta({ description: 'The id of a cohort.' }),
  order: z
    .enum(['-created_at', 'created_at', '-last_seen_at', 'last_seen_at'])
    .optional()
    .meta({ description: 'Newest first unless told; "-last_seen_at" puts those first who were here last.' }),
  as_of: z
    .string()
    .regex(/^\d{1,15}$/, 'Use `next` as it is.')
    .transform(Number)
    .optional()
    .meta({ description: 'Set by `next`: persons that came later are left out.' }),
})

export const personPropertiesSchema = z.object({ properties: keptObject })
export const personRemovalSchema = z.object({ delete_events: flag.optional(), delete_recordings: flag.optional() })
export const personSplitSchema = z.object({ main_distinct_id: z.string().min(1).nullish() })
export const propertyUpdateSchema = z.object({ value: keptJson, key: z.string().min(1) })
export const propertyRemovalSchema = z.object({ $unset: z.string().min(1) })
export const distinctIdSchema = z.object({ distinct_id: z.string().min(1) })

export const bulkDeleteSchema = z.object({
  distinct_ids: idList.optional(),
  ids: idList.optional(),
  delete_events: flag.nullish(),
  delete_recordings: flag.nullish(),
})

export const bulkDeletedSchema = z
  .object({
    persons_found: z.int(),
    persons_deleted: z.int(),
    events_queued_for_deletion: z.boolean(),
    recordings_queued_for_deletion: z.boolean(),
    deletion_errors: z.array(z.object({ id: z.string(), error: z.string() })),
  })
  .meta({ id: 'BulkDeleted' })

export const personValuesQuerySchema = z.object({ key: z.string().optional(), value: z.string().optional() })

/** For pages that show many events: what the persons behind them are called now. */
export const personNamesQuerySchema = z.object({
  uuids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.uuid('Send uuids of persons, separated by commas.')).max(100, 'Send up to 100 uuids.')),
})
export const personNameSchema = z.object({ uuid, name: z.string() }).meta({ id: 'PersonName' })

/** A value of a property, and how many persons have it. */
export const personValueSchema = z.object({ name: anyJson, count: z.int() }).meta({ id: 'PersonValue' })
export const personPropertySchema = z.object({ name: z.string(), count: z.int() }).meta({ id: 'PersonProperty' })

/** How the properties that a trend asks about changed: one point for each run of equal values. */
export const propertiesTimelineSchema = z
  .object({
    points: z.array(z.object({ timestamp: dateTime, properties: anyJson, relevant_event_count: z.int() })),
    crucial_property_keys: z.array(z.string()),
    effective_date_from: z.string(),
    effective_date_to: z.string(),
  })
  .meta({ id: 'PropertiesTimeline' })
export type PropertiesTimeline = z.infer<typeof propertiesTimelineSchema>
