/** What a person did, session by session. Events without a session stand together while they follow each other. */
import type { SessionsTimelineQuery } from '../../contract/queries/index.ts'
import type { TaxonomyAnswers } from '../../contract/results/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import { isObject, type JsonObject, parseJson } from '../../lib/json.ts'

type Session = TaxonomyAnswers['SessionsTimelineQuery']['results'][number]
type TimelineEvent = Session['events'][number]

/** Events without a session that lie further apart are of different ones. */
const PAUSE_MS = 30 * MINUTE

export function timelineSql({ personId, sessionId, after, before }: SessionsTimelineQuery, limit: number) {
  const conditions = [
    '{filters}',
    ...(personId === undefined ? [] : ['toString(person_id) = {person}']),
    ...(sessionId === undefined ? [] : ['$session_id = {session}']),
  ]
  const sql = `select uuid, event, timestamp, distinct_id, properties, elements_chain, $session_id from events
    where ${conditions.join(' and ')} order by timestamp desc limit ${limit}`
  return {
    sql,
    values: { person: personId ?? '', session: sessionId ?? '' },
    filters: { dateRange: { date_from: after ?? '-24h', date_to: before }, ...NO_MORE },
  }
}

const NO_MORE = {
  properties: { kind: 'group', type: 'AND', values: [] },
  filterTestAccounts: false,
  interval: undefined,
} as const

/** Of rows that are ordered by time, newest first. */
export function sessionsOf(rows: readonly (readonly unknown[])[]): Session[] {
  const sessions = new Map<string, TimelineEvent[]>()
  let loose = ''
  let last = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const event = eventOf(row)
    const at = Date.parse(`${event.timestamp.replace(' ', 'T').slice(0, 23)}Z`)
    const session = String(row[6] ?? '')
    if (session === '' && (loose === '' || last - at > PAUSE_MS)) loose = event.id
    const key = session === '' ? loose : session
    sessions.set(key, [...(sessions.get(key) ?? []), event])
    last = at
  }
  return [...sessions].map(([sessionId, events]) => ({ sessionId, recording_duration_s: null, events }))
}

const eventOf = ([id, event, timestamp, distinct_id, properties, chain]: readonly unknown[]): TimelineEvent => ({
  id: String(id),
  event: String(event),
  timestamp: String(timestamp),
  distinct_id: String(distinct_id),
  properties: documentOf(properties),
  elements_chain: String(chain ?? ''),
  person: null,
  elements: [],
})

function documentOf(text: unknown): JsonObject {
  const value = typeof text === 'string' && text !== '' ? parseJson(text) : {}
  return isObject(value) ? value : {}
}
