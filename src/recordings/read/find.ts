import { and, type Fragment, ident, moment, sql, strings, uint } from '../../engines/clickhouse/index.ts'
import { findPerson } from '../../identity/index.ts'
import { momentOf, refuseCrossed, sessionFinder, testAccountFilters } from '../../insights/index.ts'
import { DAY, HOUR } from '../../lib/durations.ts'
import { type Bounds, happened, holds, inMinutes, withDistinctIds } from '../filters/conditions.ts'
import { filtersIn, type RecordingsQuestion } from '../filters/question.ts'
import { ofActors } from './actors.ts'
import type { RecordingsContext } from './context.ts'
import type { Recording } from './recording.ts'
import { sessions } from './session-columns.ts'

export interface FoundRecordings {
  readonly recordings: readonly Recording[]
  readonly hasNext: boolean
}

const RECENT = 6 * HOUR
const DEFAULT_FROM = '-3d'
const NONE: FoundRecordings = { recordings: [], hasNext: false }

/**
 * A page of the recordings that match a query. In a long range, newest first, the last hours are often enough: they are
 * searched before the whole range.
 */
export async function findRecordings(
  context: RecordingsContext,
  question: RecordingsQuestion,
): Promise<FoundRecordings> {
  const ids = await distinctIdsOf(context, question)
  if (question.sessionIds?.length === 0 || ids?.length === 0) return NONE
  const asked = boundsOf(context, question)
  const bounds = { from: Math.max(asked.from, 0), to: Math.min(asked.to, context.insight.now + DAY) }
  const ask = await askerFor(context, question, ids)
  const latest = Math.min(bounds.to, context.insight.now) - RECENT
  const named = question.sessionIds !== undefined || question.actors !== undefined || ids !== undefined
  const newestFirst = question.order === 'start_time' && question.descending && !named
  const recent = newestFirst && latest - bounds.from > RECENT ? await ask({ ...bounds, from: latest }) : []
  const rows = recent.length > question.limit ? recent : await ask(bounds)
  const recordings = await detailsOf(context, rows.slice(0, question.limit))
  return { recordings: inOrder(recordings, question.sessionIds), hasNext: rows.length > question.limit }
}

/** A query without its time range: reads a page, and one row more to know whether there are more. */
async function askerFor(
  context: RecordingsContext,
  question: RecordingsQuestion,
  ids: readonly string[] | undefined,
): Promise<(bounds: Bounds) => Promise<Row[]>> {
  const { clickhouse, project } = context.insight
  const named = question.sessionIds
  // Without test account filters nothing is excluded, not even sessions without events.
  const testAccounts = (question.filterTestAccounts ? [testAccountFilters(context.insight)] : []).filter(
    ({ values }) => values.length > 0,
  )
  const finder = await sessionFinder(context.insight, [...filtersIn(question), ...testAccounts], context)
  const hidden = await hiddenSessions(context, question)
  const columns = [question.order, ...question.having.map(({ column }) => column), 'start_time', 'end_time'] as const
  return async (bounds) => {
    const wide = { from: bounds.from - DAY, to: bounds.to + DAY }
    const conditions = and([
      ...inMinutes(project.id, bounds),
      ...(named === undefined ? [] : [sql`m.session_id IN ${strings(named)}`]),
      ...(ids === undefined ? [] : [withDistinctIds(ids, project.id, bounds)]),
      ...(hidden.length === 0 ? [] : [sql`m.session_id NOT IN ${strings(hidden)}`]),
      ...happened(question, finder, project.id, bounds),
      ...(question.actors === undefined ? [] : [await ofActors(context, question.actors, bounds)]),
      ...testAccounts.map((properties) => sql`m.session_id IN (${finder.sessionsWith({ properties }, wide)})`),
    ])
    const having = [
      sql`start_time >= ${moment(bounds.from)}`,
      sql`start_time <= ${moment(bounds.to)}`,
      ...holds(question.having, finder),
    ]
    const statement = pageOf(sessions(conditions, columns), having, question)
    return (await clickhouse.query<Row>(statement, { signal: context.signal })).rows
  }
}

/** One recording, or several by their ids, of any time. */
export async function recordingsById(
  context: RecordingsContext,
  sessionIds: readonly string[],
): Promise<Map<string, Recording>> {
  if (sessionIds.length === 0) return new Map()
  const { clickhouse, project } = context.insight
  const statement = sessions(
    and([
      sql`m.project_id = ${uint(project.id)}`,
      sql`m.session_id IN ${strings(sessionIds)}`,
      sql`m.expires_at > now()`,
    ]),
  )
  const { rows } = await clickhouse.query<Row>(statement, { signal: context.signal })
  return new Map(rows.map((row) => [row.session_id, recordingOf(row)]))
}

/** All columns of a page that was found with few; the page also has the times of its sessions. */
async function detailsOf(context: RecordingsContext, page: readonly Row[]): Promise<Recording[]> {
  if (page.length === 0) return []
  const { clickhouse, project } = context.insight
  const times = page.flatMap(({ start_time, end_time }) => [timeOf(start_time), timeOf(end_time)])
  const statement = sessions(
    and([
      ...inMinutes(project.id, { from: Math.min(...times), to: Math.max(...times) }),
      sql`m.session_id IN ${strings(page.map(({ session_id }) => session_id))}`,
    ]),
  )
  const { rows } = await clickhouse.query<Row>(statement, { signal: context.signal })
  const details = new Map(rows.map((row) => [row.session_id, recordingOf(row)]))
  return page.flatMap(({ session_id }) => details.get(session_id) ?? [])
}

function pageOf(all: Fragment, having: readonly Fragment[], { order, descending, limit, offset }: RecordingsQuestion) {
  const direction = descending ? sql`DESC` : sql`ASC`
  return sql`
    SELECT * FROM (${all}) WHERE ${and(having)}
    ORDER BY ${ident(order)} ${direction}, session_id ${direction} LIMIT ${uint(limit + 1)} OFFSET ${uint(offset)}`
}

/**
 * The time range, within the project's retention. With sessions or persons given the default of three days does not
 * apply.
 */
function boundsOf({ insight, retentionDays }: RecordingsContext, question: RecordingsQuestion) {
  const time = { timezone: insight.project.timezone, now: insight.now }
  const oldest = insight.now - retentionDays * DAY
  const named = question.sessionIds !== undefined || question.actors !== undefined
  const from = question.dateFrom === undefined && !named ? DEFAULT_FROM : question.dateFrom
  refuseCrossed(question.dateFrom, question.dateTo, time)
  return {
    from: from ? Math.max(momentOf(from, time, ['date_from']), oldest) : oldest,
    to: question.dateTo ? momentOf(question.dateTo, time, ['date_to']) : insight.now + DAY,
  }
}

/** A person is all its distinct ids. */
async function distinctIdsOf({ sql: db, insight }: RecordingsContext, { distinctIds, person }: RecordingsQuestion) {
  if (distinctIds !== undefined || person === undefined) return distinctIds
  return (await findPerson(db, insight.project.id, person))?.distinctIds ?? []
}

async function hiddenSessions({ sql: db, insight, userId }: RecordingsContext, { hideViewed }: RecordingsQuestion) {
  if (hideViewed === undefined) return []
  const rows = await db<{ session_id: string }[]>`
    SELECT DISTINCT session_id FROM recording_views
    WHERE project_id = ${insight.project.id} AND (${hideViewed === 'any-user'} OR user_id = ${userId ?? 0})`
  return rows.map((row) => row.session_id)
}

function inOrder(recordings: readonly Recording[], wanted: readonly string[] | undefined): readonly Recording[] {
  if (wanted === undefined) return recordings
  const places = new Map(wanted.map((id, i) => [id, i]))
  const placeOf = ({ session_id }: Recording) => places.get(session_id) ?? 0
  return [...recordings].sort((one, other) => placeOf(one) - placeOf(other))
}

/** Includes columns that the query needed only for others. */
type Row = Omit<Recording, 'ongoing'> & { readonly ongoing: number; readonly received_at?: string }

const recordingOf = ({ received_at: _, ...row }: Row): Recording => ({
  ...row,
  start_time: isoOf(row.start_time),
  end_time: isoOf(row.end_time),
  ongoing: row.ongoing === 1,
})

const isoOf = (time: string): string => `${time.replace(' ', 'T')}Z`
const timeOf = (time: string): number => Date.parse(isoOf(time))
