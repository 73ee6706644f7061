import type { Fragment } from '../../engines/clickhouse/index.ts'
import type { RecordingsQuestion } from '../filters/question.ts'
import type { RecordingsContext } from '../read/context.ts'
import type { Recording } from '../read/recording.ts'
import { gatherFacts } from './facts.ts'
import { planRecordings } from './plan.ts'
import { byIdStatement, detailsStatement, pageStatement } from './sql.ts'

export interface FoundRecordings {
  readonly recordings: readonly Recording[]
  readonly hasNext: boolean
}

/** A page of the recordings that match a query: facts -> plan -> sql -> rows -> recordings. */
export async function findRecordings(
  context: RecordingsContext,
  question: RecordingsQuestion,
): Promise<FoundRecordings> {
  const facts = await gatherFacts(context, question)
  const plan = planRecordings(question, facts)
  if (plan === null) return { recordings: [], hasNext: false }
  const { bounds, recent } = plan
  const newest = recent ? await rowsOf(context, pageStatement(question, plan, facts, recent)) : []
  const rows =
    newest.length > question.limit ? newest : await rowsOf(context, pageStatement(question, plan, facts, bounds))
  const recordings = await detailsOf(context, rows.slice(0, question.limit))
  return { recordings: inOrder(recordings, question.sessionIds), hasNext: rows.length > question.limit }
}

/** One recording, or several by their ids, of any time. */
export async function recordingsById(
  context: RecordingsContext,
  sessionIds: readonly string[],
): Promise<Map<string, Recording>> {
  if (sessionIds.length === 0) return new Map()
  const rows = await rowsOf(context, byIdStatement(context.insight.project.id, sessionIds))
  return new Map(rows.map((row) => [row.session_id, recordingOf(row)]))
}

/** All columns of a page that was found with few; the page also has the times of its sessions. */
async function detailsOf(context: RecordingsContext, page: readonly Row[]): Promise<Recording[]> {
  if (page.length === 0) return []
  const times = page.flatMap(({ start_time, end_time }) => [timeOf(start_time), timeOf(end_time)])
  const bounds = { from: Math.min(...times), to: Math.max(...times) }
  const ids = page.map(({ session_id }) => session_id)
  const rows = await rowsOf(context, detailsStatement(context.insight.project.id, ids, bounds))
  const details = new Map(rows.map((row) => [row.session_id, recordingOf(row)]))
  return ids.flatMap((id) => details.get(id) ?? [])
}

const rowsOf = async ({ insight, signal }: RecordingsContext, statement: Fragment): Promise<Row[]> =>
  (await insight.clickhouse.query<Row>(statement, { signal })).rows

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
