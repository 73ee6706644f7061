import { z } from 'zod'
import { dateTime, properties, uuid } from '../answer-fields.ts'
import { limitUpTo, pageQuerySchema } from '../envelopes.ts'
import { after, before } from '../time-bounds.ts'
import { embeddedPersonSchema } from './person.ts'

/** The clicked element or one of its parents. */
export const elementSchema = z
  .object({
    text: z.string().nullable(),
    tag_name: z.string(),
    attr_class: z.array(z.string()).nullable(),
    href: z.string().nullable(),
    attr_id: z.string().nullable(),
    nth_child: z.int().nullable(),
    nth_of_type: z.int().nullable(),
    attributes: z.record(z.string(), z.string()),
    order: z.int().meta({ description: '0 is the clicked one.' }),
  })
  .meta({ id: 'Element' })

export const eventSchema = z
  .object({
    id: uuid,
    event: z.string(),
    distinct_id: z.string(),
    timestamp: dateTime,
    properties,
    person: embeddedPersonSchema.nullable(),
    elements: z.array(elementSchema),
    elements_chain: z.string(),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof eventSchema>

const LARGEST_LIMIT = 10_000

export const eventListQuerySchema = z.object({
  event: z.string().optional(),
  distinct_id: z.string().optional(),
  person_id: z.string().optional(),
  after: after.optional(),
  before: before.optional(),
  properties: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description: 'Filters as JSON text: a list, groups of groups, or a map.' }),
  cursor: z.string().optional().meta({ description: 'As `next` has it.' }),
  limit: limitUpTo(LARGEST_LIMIT),
  offset: pageQuerySchema.shape.offset,
})
