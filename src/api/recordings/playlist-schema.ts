import { z } from 'zod'
import { USER } from '../accounts/user-schema.ts'

/** A playlist in words of a schema, for the API's description. */
export const PLAYLIST = z.object({
  id: z.int(),
  short_id: z.string(),
  name: z.string(),
  derived_name: z.string(),
  description: z.string(),
  pinned: z.boolean(),
  created_at: z.iso.datetime(),
  created_by: USER.nullable(),
  deleted: z.boolean(),
  filters: z.json().nullable(),
  last_modified_at: z.iso.datetime(),
  last_modified_by: USER.nullable(),
  recordings_counts: z.record(z.string(), z.record(z.string(), z.int())),
})
