/** Events and properties by name, and what people write beside them. */
import { z } from 'zod'
import { anyJson, dateTime, uuid } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { groupTypeIndex } from './group.ts'
import { userSchema } from './user.ts'

const notes = {
  description: z.string(),
  tags: z.array(z.string()),
  hidden: z.boolean().meta({ description: 'Left out of pickers; still counted.' }),
  verified: z.boolean(),
  verified_at: dateTime.nullable(),
  verified_by: userSchema.nullable(),
  updated_at: dateTime.nullable(),
  updated_by: userSchema.nullable(),
}

export const eventDefinitionSchema = z
  .object({ id: uuid, name: z.string(), count: z.int(), created_at: dateTime, last_seen_at: dateTime, ...notes })
  .meta({ id: 'EventDefinition' })
export type EventDefinition = z.infer<typeof eventDefinitionSchema>

export const PROPERTY_TYPES = ['String', 'Numeric', 'Boolean', 'DateTime'] as const

export const propertyDefinitionSchema = z
  .object({
    id: uuid,
    name: z.string(),
    type: z.enum(['event', 'person', 'group']),
    group_type_index: z.int().nullable(),
    property_type: z.enum(PROPERTY_TYPES).nullable(),
    is_numerical: z.boolean(),
    count: z.int(),
    example: anyJson,
    samples: z.array(anyJson),
    last_seen_at: dateTime,
    share: z.number().nullable().optional().meta({ description: 'Of events, persons or groups that have it: 0 to 1.' }),
    ...notes,
  })
  .meta({ id: 'PropertyDefinition' })
export type PropertyDefinition = z.infer<typeof propertyDefinitionSchema>

const tag = z.string().trim().min(1).max(100)

export const definitionNotesSchema = z.object({
  description: z
    .string()
    .max(4_000)
    .nullable()
    .transform((text) => text ?? '')
    .optional(),
  tags: z
    .array(tag)
    .max(50)
    .transform((tags) => [...new Set(tags)])
    .optional(),
  hidden: z.boolean().optional(),
  verified: z.boolean().optional(),
})
export const propertyNotesSchema = definitionNotesSchema.extend({
  property_type: z.enum(PROPERTY_TYPES, 'Must be String, Numeric, Boolean or DateTime.').nullable().optional(),
})

/** Names, as a JSON list or with commas between them. */
const names = z.string().transform((text, context): string[] => {
  if (!text.trim().startsWith('[')) return text.split(',').filter(Boolean)
  try {
    return z.array(z.string()).parse(JSON.parse(text))
  } catch {
    context.addIssue({ code: 'custom', message: 'Expected a list of names.' })
    return []
  }
})

const yes = z
  .string()
  .transform((text) => text === 'true' || text === '1')
  .default(false)
const kind = z.enum(['event', 'person', 'group']).optional()

export const eventDefinitionQuerySchema = pageQuerySchema.extend({ search: z.string().optional(), exclude_hidden: yes })

export const propertyDefinitionQuerySchema = pageQuerySchema.extend({
  search: z.string().optional(),
  type: kind,
  group_type_index: groupTypeIndex.optional(),
  event_names: names.optional(),
  properties: names.optional(),
  exclude_hidden: yes,
  /** Also how large a share of events, persons or groups has each. */
  share: yes,
})

export const propertyValuesQuerySchema = z.object({
  key: z.string().optional(),
  value: z.string().optional(),
  type: kind,
  group_type_index: groupTypeIndex.optional(),
  event_name: names.optional(),
})
export const propertyValueSchema = z.object({ name: anyJson })
