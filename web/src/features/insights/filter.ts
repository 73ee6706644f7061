import * as z from 'zod/mini'
import { field, someOf } from '../../lib/search-schema.ts'

/** All types of the API, also those that the builder does not offer: what another client saved is kept. */
const FILTER_TYPES = [
  'event',
  'person',
  'person_metadata',
  'group',
  'session',
  'cohort',
  'element',
  'hogql',
  'feature',
  'event_metadata',
] as const

/** For a cohort the key is `id` and the value its number. */
export const filterSchema = z.object({
  key: z.string(),
  type: z._default(z.enum(FILTER_TYPES), 'event'),
  operator: z._default(z.string(), 'exact'),
  value: field(z.nullable(z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]))),
  group_type_index: field(z.number()),
})
export type Filter = z.infer<typeof filterSchema>

/** Filters that were kept as any JSON: those that the page can show. */
export const readFilters = (value: unknown): Filter[] => z.safeParse(someOf(filterSchema), value).data ?? []

/**
 * Conditions in groups, as other clients keep them: each group joined by "all" or "any", and the groups among
 * themselves. Where all of all must hold, a plain list says the same and is kept instead.
 */
const match = z.enum(['all', 'any'])
export type Match = z.infer<typeof match>

const groupSchema = z.object({ match, filters: someOf(filterSchema) })
export type FilterGroup = z.infer<typeof groupSchema>

export const filterGroupsSchema = z.object({ match, groups: someOf(groupSchema) })
export type FilterGroups = z.infer<typeof filterGroupsSchema>
