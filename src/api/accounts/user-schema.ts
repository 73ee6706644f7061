import { z } from 'zod'

/** The user object that other records embed, in words of a schema, for the API's description. */
export const USER = z.object({
  id: z.int(),
  uuid: z.uuid(),
  distinct_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.email(),
  is_email_verified: z.boolean(),
  hedgehog_config: z.record(z.string(), z.json()),
  role_at_organization: z.string(),
})
