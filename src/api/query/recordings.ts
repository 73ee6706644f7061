import type { RecordingsQuery } from '../../contract/queries/index.ts'
import { readRecordingFilters } from '../../recordings/index.ts'
import { answerRecordings } from '../recordings/recording-record.ts'
import { filterFields } from '../recordings/recordings.ts'

type Fields = Readonly<Record<string, unknown>>

/** A list of recordings, asked as a query node. */
export async function answerRecordingsQuery(
  call: Parameters<typeof answerRecordings>[0],
  { filters }: RecordingsQuery,
  overrides: Fields | null,
) {
  const began = performance.now()
  const { version: _, ...answer } = await answerRecordings(
    call,
    readRecordingFilters(filterFields(overrides ? withOverrides(filters, overrides) : filters)),
  )
  return {
    ...answer,
    next_cursor: null,
    hogql: null,
    error: null,
    modifiers: null,
    query_status: null,
    timings: [{ k: './execute', t: (performance.now() - began) / 1000 }],
    timezone: call.project.timezone,
    is_cached: false,
    last_refresh: call.now().toISOString(),
  }
}

/** Dates replace those of the query, properties are added to its own. */
function withOverrides(own: Fields, { date_from, date_to, properties }: Fields): Fields {
  return {
    ...own,
    ...(date_from === undefined && date_to === undefined ? {} : { date_from, date_to }),
    ...(Array.isArray(properties)
      ? { properties: [...(Array.isArray(own.properties) ? own.properties : []), ...properties] }
      : {}),
  }
}
