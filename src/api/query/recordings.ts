import { readRecordingFilters } from '../../recordings/index.ts'
import { answerRecordings } from '../recordings/recording-record.ts'
import { filterFields } from '../recordings/recordings.ts'

type Fields = Readonly<Record<string, unknown>>

/** What any query node may carry, and what means nothing to recordings. */
const NOT_FILTERS = new Set(['kind', 'version', 'tags', 'modifiers', 'response', 'after', 'name'])

/** A list of recordings, asked as a query node. */
export async function answerRecordingsQuery(
  call: Parameters<typeof answerRecordings>[0],
  node: Fields,
  overrides: Fields | null,
) {
  const began = performance.now()
  const own = Object.fromEntries(Object.entries(node).filter(([key]) => !NOT_FILTERS.has(key)))
  const { version: _, ...answer } = await answerRecordings(
    call,
    readRecordingFilters(filterFields(overrides ? withOverrides(own, overrides) : own)),
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
function withOverrides(node: Fields, { date_from, date_to, properties }: Fields): Fields {
  return {
    ...node,
    ...(date_from === undefined && date_to === undefined ? {} : { date_from, date_to }),
    ...(Array.isArray(properties)
      ? { properties: [...(Array.isArray(node.properties) ? node.properties : []), ...properties] }
      : {}),
  }
}
