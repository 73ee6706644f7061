/**
 * Filters of recordings: of lists, playlists and RecordingsQuery. They come as JSON, as texts of a query string and in
 * three generations of forms, so these schemas say which keys there are and what they look like; `recordings/filters/`
 * reads them.
 */
import { z } from 'zod'
import { describedBy } from './fields.ts'
import { propertyFilterForms } from './property-filters.ts'

const like = (forms: z.ZodType) => z.unknown().optional().meta(describedBy(forms))

const date = like(z.string().nullable())
const text = like(z.string().nullable())
const texts = like(z.union([z.array(z.string()), z.string()]))
const count = like(z.int().min(0))
const filters = like(z.array(propertyFilterForms.filter))
const events = like(
  z.array(z.looseObject({ id: z.union([z.string(), z.number(), z.null()]), properties: z.unknown() })),
)

export const recordingFilterFields = {
  date_from: date,
  date_to: date,
  events,
  actions: events,
  properties: filters,
  having_predicates: filters,
  console_log_filters: filters,
  console_logs: texts,
  console_search_query: text,
  filter_test_accounts: like(z.boolean()),
  filter_group: like(propertyFilterForms.group),
  duration: filters,
  session_recording_duration: like(propertyFilterForms.filter),
  duration_type_filter: text,
  snapshot_source: like(propertyFilterForms.filter),
  operand: like(z.enum(['AND', 'OR'])),
  session_ids: texts,
  session_recording_id: texts,
  person_uuid: text,
  person_id: text,
  distinct_ids: texts,
  distinct_id: texts,
  hide_viewed_recordings: like(z.union([z.boolean(), z.enum(['current-user', 'any-user'])])),
  order: text,
  order_direction: like(z.enum(['ASC', 'DESC'])),
  limit: count,
  offset: count,
  user_modified_filters: like(z.unknown()),
  comment_text: text,
  /** `insight_actors`: the recordings of the persons that the actors query in `source` finds. */
  kind: like(z.literal('insight_actors')),
  source: like(z.looseObject({ kind: z.string() })),
}

export const RECORDING_FILTERS: ReadonlySet<string> = new Set(Object.keys(recordingFilterFields))

/** What any query node may carry, and what means nothing to recordings. */
const NODE_FIELDS = ['version', 'tags', 'modifiers', 'response', 'after', 'name'] as const
/** Keys of a query string that are about the request, not about recordings. */
export const NOT_RECORDING_FILTERS: ReadonlySet<string> = new Set([
  'personal_api_key',
  'format',
  'as_query',
  'version',
  'hogql_filtering',
])

export const notARecordingFilter = (key: string): string => `Recordings cannot be filtered by "${key}".`

const isPassedOver = (key: string): boolean =>
  NOT_RECORDING_FILTERS.has(key) || (NODE_FIELDS as readonly string[]).includes(key)

export const recordingsQuerySchema = z
  .looseObject({ ...recordingFilterFields, kind: z.literal('RecordingsQuery') })
  .superRefine((fields, context) => {
    const unknown = Object.keys(fields).find((key) => !RECORDING_FILTERS.has(key) && !isPassedOver(key))
    if (unknown !== undefined)
      context.addIssue({ code: 'custom', message: notARecordingFilter(unknown), path: [unknown] })
  })
  .transform(({ kind, ...fields }) => ({
    kind,
    filters: Object.fromEntries(Object.entries(fields).filter(([key]) => !isPassedOver(key))),
  }))
  .meta({ id: 'RecordingsQuery', description: 'Session recordings that match the filters.' })
export type RecordingsQuery = z.infer<typeof recordingsQuerySchema>
