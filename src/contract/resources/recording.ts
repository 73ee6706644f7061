import { z } from 'zod'
import { parseTimestamp } from '../../lib/timestamps.ts'
import { dateTime, id, uuid } from '../answer-fields.ts'
import { flag, sessionId } from '../fields.ts'
import { embeddedPersonSchema } from './person.ts'

/** What everybody may know of a recording who may watch it, by a public link too. */
export const publicRecordingSchema = z
  .object({
    id: z.string(),
    start_time: dateTime,
    end_time: dateTime,
    recording_duration: z.number(),
    active_seconds: z.number(),
    inactive_seconds: z.number(),
    click_count: z.int(),
    keypress_count: z.int(),
    mouse_activity_count: z.int(),
    console_log_count: z.int(),
    console_warn_count: z.int(),
    console_error_count: z.int(),
    start_url: z.string(),
    snapshot_source: z.string(),
    ongoing: z.boolean(),
    activity_score: z.number(),
  })
  .meta({ id: 'PublicRecording' })
export type PublicRecording = z.infer<typeof publicRecordingSchema>

export const recordingSchema = publicRecordingSchema
  .extend({
    distinct_id: z.string(),
    viewed: z.boolean(),
    viewers: z.array(z.string()),
    person: embeddedPersonSchema.nullable(),
    snapshot_library: z.string(),
  })
  .meta({ id: 'Recording' })
export type Recording = z.infer<typeof recordingSchema>

/** A stretch that can be asked for by itself: events from `start` to before `end`, in ms since 1970. */
export const recordingBlockSchema = z
  .object({
    start: z.number(),
    end: z.number(),
    events: z.int(),
    bytes: z.int(),
    has_full_snapshot: z.boolean().meta({ description: 'A player can begin here.' }),
  })
  .meta({ id: 'RecordingBlock' })
export type RecordingBlock = z.infer<typeof recordingBlockSchema>

export const fullRecordingSchema = recordingSchema
  .extend({ windows: z.array(z.string()), blocks: z.array(recordingBlockSchema) })
  .meta({ id: 'FullRecording' })
export type FullRecording = z.infer<typeof fullRecordingSchema>

export const recordingListSchema = z
  .object({ results: z.array(recordingSchema), has_next: z.boolean(), version: z.literal(4) })
  .meta({ id: 'RecordingList' })
export type RecordingList = z.infer<typeof recordingListSchema>

const filter = z.unknown().optional()
const jsonText = (type: 'array' | 'object') => filter.meta({ type, description: 'As JSON text, or in brackets.' })
const word = filter.meta({ type: 'string' })

/**
 * What recordings can be filtered by in a query string. What each means, and what is wrong with it, is said where
 * filters are read.
 */
export const recordingListQuerySchema = z.looseObject({
  date_from: word,
  date_to: word,
  events: jsonText('array'),
  actions: jsonText('array'),
  properties: jsonText('array'),
  having_predicates: jsonText('array'),
  console_log_filters: jsonText('array'),
  console_logs: jsonText('array'),
  console_search_query: word,
  filter_test_accounts: filter.meta({ type: 'boolean' }),
  filter_group: jsonText('object'),
  duration: jsonText('array'),
  session_recording_duration: jsonText('object'),
  duration_type_filter: word,
  snapshot_source: word,
  operand: filter.meta({ type: 'string', enum: ['AND', 'OR'] }),
  session_ids: jsonText('array'),
  session_recording_id: word,
  person_uuid: word,
  person_id: word,
  distinct_ids: jsonText('array'),
  distinct_id: word,
  hide_viewed_recordings: word,
  order: word,
  order_direction: filter.meta({ type: 'string', enum: ['ASC', 'DESC'] }),
  limit: filter.meta({ type: 'integer' }),
  offset: filter.meta({ type: 'integer' }),
  user_modified_filters: jsonText('object'),
  comment_text: jsonText('object'),
  kind: word,
  source: jsonText('object'),
})

export const matchingEventsSchema = z.object({ results: z.array(uuid) }).meta({ id: 'MatchingEvents' })

export const recordingChangesSchema = z.object({ viewed: flag.optional(), analyzed: flag.optional() })
export const recordingsRemovalSchema = z.object({ session_recording_ids: z.array(sessionId).min(1).max(1_000) })
export const removedRecordingsSchema = z
  .object({ success: z.literal(true), deleted_count: z.int(), total_requested: z.int() })
  .meta({ id: 'RemovedRecordings' })

const time = z.string().transform((given, context) => {
  const parsed = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : parseTimestamp(given)
  if (parsed === null)
    context.addIssue({ code: 'custom', message: 'Not a valid time: send ms since 1970, or ISO 8601.' })
  return parsed ?? 0
})

/** Times of the events: from `start` to before `end`, as the blocks of a recording have them. */
export const snapshotsQuerySchema = z.object({
  start: time.optional(),
  end: time.optional(),
  window_id: z.string().optional(),
  array: z.string().optional(),
})

/** A public link; `token`, `url` and `api_url` are in the answer that makes it and nowhere else. */
export const shareSchema = z.object({ id, created_at: dateTime, expires_at: dateTime }).meta({ id: 'Share' })
export type Share = z.infer<typeof shareSchema>
export const newShareSchema = shareSchema
  .extend({ token: z.string(), url: z.url(), api_url: z.url() })
  .meta({ id: 'NewShare' })
export type NewShare = z.infer<typeof newShareSchema>
export const shareFieldsSchema = z.object({ expires_in_days: z.int().min(1).max(365).default(7) })

/** What a public link shows. */
export const sharedSchema = z
  .object({
    kind: z.enum(['playlist', 'recording', 'web_analytics']),
    playlist: z.object({ name: z.string().nullable(), description: z.string() }).nullable(),
    web_analytics: z
      .object({ name: z.string().meta({ description: 'Of the project.' }), timezone: z.string() })
      .nullable(),
    results: z.array(publicRecordingSchema),
  })
  .meta({ id: 'Shared' })
export type Shared = z.infer<typeof sharedSchema>
export const sharedRecordingSchema = publicRecordingSchema
  .extend({ blocks: z.array(recordingBlockSchema) })
  .meta({ id: 'SharedRecording' })
export type SharedRecording = z.infer<typeof sharedRecordingSchema>
