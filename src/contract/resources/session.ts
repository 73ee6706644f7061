import { z } from 'zod'
import { dateTime, uuid } from '../answer-fields.ts'

/** A browser somebody is signed in in. */
export const sessionSchema = z
  .object({
    id: uuid,
    is_current: z.boolean(),
    user_agent: z.string(),
    address: z.string().nullable(),
    created_at: dateTime,
    last_seen_at: dateTime,
    expires_at: dateTime,
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof sessionSchema>

export const endedSessionsSchema = z.object({ ended: z.int() }).meta({ id: 'EndedSessions' })
