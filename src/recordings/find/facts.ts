import type { PropertyGroup } from '../../contract/queries/index.ts'
import { findPerson } from '../../identity/index.ts'
import { type SessionFinder, sessionFinder, testAccountFilters } from '../../insights/index.ts'
import { filtersIn, type RecordingsQuestion } from '../filters/question.ts'
import type { RecordingsContext } from '../read/context.ts'
import { type Actors, findActors } from './actors.ts'

/** What must be read before a query for recordings can be planned. */
export interface RecordingFacts {
  readonly project: number
  readonly timezone: string
  readonly now: number
  readonly retentionDays: number
  /** A person is all its distinct ids; undefined when the query names no person. */
  readonly distinctIds: readonly string[] | undefined
  readonly hiddenSessions: readonly string[]
  readonly actors: Actors | undefined
  readonly testAccounts: readonly PropertyGroup[]
  readonly finder: SessionFinder
}

export async function gatherFacts(context: RecordingsContext, question: RecordingsQuestion): Promise<RecordingFacts> {
  const { insight, retentionDays } = context
  // Without test account filters nothing is excluded, not even sessions without events.
  const testAccounts = (question.filterTestAccounts ? [testAccountFilters(insight)] : []).filter(
    ({ values }) => values.length > 0,
  )
  return {
    project: insight.project.id,
    timezone: insight.project.timezone,
    now: insight.now,
    retentionDays,
    distinctIds: await distinctIdsOf(context, question),
    hiddenSessions: await hiddenSessions(context, question),
    actors: question.actors === undefined ? undefined : await findActors(context, question.actors),
    testAccounts,
    finder: await sessionFinder(insight, [...filtersIn(question), ...testAccounts], context),
  }
}

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
