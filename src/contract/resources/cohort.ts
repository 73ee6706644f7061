import { z } from 'zod'
import { anyJson, dateTime, id } from '../answer-fields.ts'
import { flag, idList, json, text } from '../fields.ts'
import { userSchema } from './user.ts'

export const cohortSchema = z
  .object({
    id,
    name: z.string().nullable(),
    description: z.string(),
    groups: anyJson,
    deleted: z.boolean(),
    filters: anyJson,
    query: anyJson,
    is_calculating: z.boolean(),
    created_by: userSchema.nullable(),
    created_at: dateTime,
    last_calculation: dateTime.nullable(),
    errors_calculating: z.int(),
    count: z.int().nullable().meta({ description: 'As last counted.' }),
    is_static: z.boolean(),
    cohort_type: z.enum(['static', 'dynamic']),
  })
  .meta({ id: 'Cohort' })
export type Cohort = z.infer<typeof cohortSchema>

export const cohortFieldsSchema = z.object({
  name: text(400).nullable().optional(),
  description: text()
    .nullable()
    .optional()
    .transform((given) => (given === null ? '' : given)),
  groups: json.optional(),
  filters: json.optional(),
  is_static: flag.optional(),
  deleted: flag.optional(),
  query: json.optional().meta({ description: 'An actors query, or SQL that selects person_id, for a static cohort.' }),
  csv: z
    .string()
    .optional()
    .meta({ description: 'One person a line: a distinct id, or a column person_id, distinct_id or email.' }),
  distinct_ids: idList.optional(),
  person_ids: idList.optional(),
  _create_static_person_ids: idList.optional(),
})
export type CohortFields = z.output<typeof cohortFieldsSchema>

export const cohortAdditionSchema = cohortFieldsSchema.pick({ person_ids: true, distinct_ids: true, csv: true })
export const cohortRemovalSchema = z.object({ person_id: z.guid('Send the uuid of a person.') })
export const cohortOfPersonQuerySchema = z.object({ person_id: z.string().min(1) })

export const addedToCohortSchema = z
  .object({ success: z.literal(true), added_count: z.int() })
  .meta({ id: 'AddedToCohort' })
