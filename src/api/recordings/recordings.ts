import { sessionId } from '../../contract/fields.ts'
import { NOT_RECORDING_FILTERS, notARecordingFilter, RECORDING_FILTERS } from '../../contract/queries/index.ts'
import {
  fullRecordingSchema,
  matchingEventsSchema,
  recordingChangesSchema,
  recordingListQuerySchema,
  recordingListSchema,
  recordingSchema,
  recordingsRemovalSchema,
  removedRecordingsSchema,
} from '../../contract/resources/recording.ts'
import { ApiError } from '../../http/errors.ts'
import { parseJson } from '../../lib/json.ts'
import {
  blocksOf,
  chunkPlaces,
  eraseRecordings,
  markUnviewed,
  markViewed,
  matchingEvents,
  type Recording,
  readRecordingFilters,
  recordingsById,
} from '../../recordings/index.ts'
import { noContent } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { answerRecordings, recordingRecord, recordingsContext } from './recording-record.ts'

const PATH = 'session_recordings/'

export function addRecordingRoutes(routes: ApiRoutes): void {
  routes.addToProject(PATH, {
    GET: projectEndpoint({
      summary: 'Session recordings that match the filters, the newest first',
      scope: 'session_recording:read',
      rate: 'heavy',
      query: recordingListQuerySchema,
      answer: recordingListSchema,
      handle: (call) => answerRecordings(call, readRecordingFilters(filterFields(call.query))),
    }),
  })
  routes.addToProject(`${PATH}matching_events/`, {
    GET: projectEndpoint({
      summary: 'The events of one recording that its filters speak of, the first first',
      scope: 'session_recording:read',
      rate: 'heavy',
      query: recordingListQuerySchema,
      answer: matchingEventsSchema,
      handle: async (call) => {
        const question = readRecordingFilters(filterFields(call.query))
        return { results: await matchingEvents(await recordingsContext(call), question) }
      },
    }),
  })
  routes.addToProject(`${PATH}bulk_delete/`, {
    POST: projectEndpoint({
      summary: 'Delete recordings for good',
      scope: 'session_recording:write',
      rate: 'heavy',
      body: recordingsRemovalSchema,
      answer: removedRecordingsSchema,
      handle: async (call) => {
        const ids = call.body.session_recording_ids
        const deleted = await eraseRecordings(call, call.project.id, ids)
        return { success: true, deleted_count: deleted, total_requested: ids.length }
      },
      audit: (_, { deleted_count }) => ({
        scope: 'Recording',
        activity: 'deleted',
        detail: { recordings: deleted_count },
      }),
    }),
  })
  routes.addToProject(`${PATH}:session_recording_id/`, {
    GET: projectEndpoint({
      summary: 'One recording, and where its windows and blocks begin',
      scope: 'session_recording:read',
      rate: 'heavy',
      answer: fullRecordingSchema,
      handle: async (call) => {
        const recording = await recordingOf(call)
        const asked = { project: call.project.id, sessionId: recording.session_id }
        const places = await chunkPlaces(call.clickhouse, asked, call.signal)
        const windows = [...new Set(places.map(({ window_id }) => window_id))]
        return { ...(await recordingRecord(call, recording)), windows, blocks: blocksOf(places) }
      },
    }),
    PATCH: projectEndpoint({
      summary: 'Note that the caller has watched a recording, or has not',
      scope: 'session_recording:write',
      rate: 'heavy',
      body: recordingChangesSchema,
      answer: recordingSchema,
      exists: recordingOf,
      handle: async (call) => {
        const { viewed, analyzed } = call.body
        if (viewed === undefined && analyzed === undefined)
          throw new ApiError('required', 'Send viewed (true or false).', { attr: 'viewed' })
        const recording = await recordingOf(call)
        const mark = viewed === false ? markUnviewed : markViewed
        if (viewed !== undefined) await mark(call.sql, call.project.id, recording.session_id, call.caller.user.id)
        return recordingRecord(call, recording)
      },
    }),
    DELETE: projectEndpoint({
      summary: 'Delete a recording for good',
      scope: 'session_recording:write',
      rate: 'heavy',
      answer: noContent,
      handle: async (call) => {
        const { session_id } = await recordingOf(call)
        await eraseRecordings(call, call.project.id, [session_id])
      },
      audit: ({ params }) => ({
        scope: 'Recording',
        activity: 'deleted',
        itemId: params.session_recording_id ?? null,
      }),
    }),
  })
}

/** The recording of the path, or 404. */
export async function recordingOf(
  call: Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'signal' | 'params' | 'caller'>,
): Promise<Recording> {
  const id = call.params.session_recording_id ?? ''
  const known = sessionId.safeParse(id).success
  const recording = known ? (await recordingsById(await recordingsContext(call), [id])).get(id) : undefined
  if (!recording) throw new ApiError('not_found')
  return recording
}

/** Each value is JSON where it can be read as such, and text otherwise. */
export function filterFields(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(query)) {
    if (NOT_RECORDING_FILTERS.has(key)) continue
    if (!RECORDING_FILTERS.has(key)) throw new ApiError('invalid_input', notARecordingFilter(key), { attr: key })
    fields[key] = TEXT.has(key) ? value : opened(value)
  }
  return fields
}

/** Ids that look like numbers are ids. */
const TEXT = new Set(['date_from', 'date_to', 'person_uuid', 'person_id', 'distinct_id', 'session_recording_id'])

function opened(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}
