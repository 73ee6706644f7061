import { z } from 'zod'
import { anyJson, dateTime, id } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { flag, text } from '../fields.ts'
import { userSchema } from './user.ts'

/** A name for events that mean the same thing. */
export const actionSchema = z
  .object({
    id,
    name: z.string().nullable(),
    description: z.string(),
    tags: z.array(z.string()),
    post_to_slack: z.boolean(),
    slack_message_format: z.string(),
    steps: anyJson.meta({ description: 'A list of what some of the events are: event, url, text, properties, ...' }),
    created_at: dateTime,
    created_by: userSchema.nullable(),
    deleted: z.boolean(),
    is_calculating: z.boolean(),
    last_calculated_at: dateTime,
    team_id: id,
    is_action: z.literal(true),
    bytecode_error: z.null(),
    pinned_at: dateTime.nullable(),
  })
  .meta({ id: 'Action' })
export type Action = z.infer<typeof actionSchema>

export const namedListQuerySchema = pageQuerySchema.extend({ search: z.string().optional() })

/** What a step may say, the service knows: its filters are those of questions. */
export const actionFieldsSchema = z.object({
  name: text(400).nullable().optional(),
  description: text().optional(),
  tags: z.array(text(255)).optional(),
  steps: z.array(z.record(z.string(), z.unknown())).optional(),
  pinned_at: z.iso.datetime({ offset: true }).nullable().optional(),
  deleted: flag.optional(),
})
