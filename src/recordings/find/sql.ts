import { and, type Fragment, ident, moment, or, sql, strings, uint } from '../../engines/clickhouse/index.ts'
import { DAY } from '../../lib/durations.ts'
import type { RecordingsQuestion } from '../filters/question.ts'
import type { Actors } from './actors.ts'
import { type Bounds, happened, holds, inMinutes, withDistinctIds } from './conditions.ts'
import type { RecordingFacts } from './facts.ts'
import type { RecordingsPlan } from './plan.ts'
import { sessions } from './session-columns.ts'

/** A page, and one row more to know whether there are more. */
export function pageStatement(
  question: RecordingsQuestion,
  { columns }: Pick<RecordingsPlan, 'columns'>,
  facts: RecordingFacts,
  bounds: Bounds,
): Fragment {
  const { project, finder, hiddenSessions: hidden, distinctIds, actors } = facts
  const named = question.sessionIds
  const wide = { from: bounds.from - DAY, to: bounds.to + DAY }
  const conditions = and([
    ...inMinutes(project, bounds),
    ...(named === undefined ? [] : [sql`m.session_id IN ${strings(named)}`]),
    ...(distinctIds === undefined ? [] : [withDistinctIds(distinctIds, project, bounds)]),
    ...(hidden.length === 0 ? [] : [sql`m.session_id NOT IN ${strings(hidden)}`]),
    ...happened(question, finder, project, bounds),
    ...(actors === undefined ? [] : [ofActors(actors, project, bounds)]),
    ...facts.testAccounts.map((properties) => sql`m.session_id IN (${finder.sessionsWith({ properties }, wide)})`),
  ])
  const having = [
    sql`start_time >= ${moment(bounds.from)}`,
    sql`start_time <= ${moment(bounds.to)}`,
    ...holds(question.having, finder),
  ]
  const direction = question.descending ? sql`DESC` : sql`ASC`
  return sql`
    SELECT * FROM (${sessions(conditions, columns)}) WHERE ${and(having)}
    ORDER BY ${ident(question.order)} ${direction}, session_id ${direction}
    LIMIT ${uint(question.limit + 1)} OFFSET ${uint(question.offset)}`
}

/** Of persons whose events have no session: all their recordings. */
const ofActors = ({ sessionIds, distinctIds }: Actors, project: number, bounds: Bounds): Fragment =>
  or([
    ...(sessionIds.length === 0 ? [] : [sql`m.session_id IN ${strings(sessionIds)}`]),
    ...(distinctIds.length === 0 ? [] : [withDistinctIds(distinctIds, project, bounds)]),
  ])

/** All columns of sessions whose times are known. */
export const detailsStatement = (project: number, sessionIds: readonly string[], bounds: Bounds): Fragment =>
  sessions(and([...inMinutes(project, bounds), sql`m.session_id IN ${strings(sessionIds)}`]))

/** The same, of any time. */
export const byIdStatement = (project: number, sessionIds: readonly string[]): Fragment =>
  sessions(
    and([sql`m.project_id = ${uint(project)}`, sql`m.session_id IN ${strings(sessionIds)}`, sql`m.expires_at > now()`]),
  )
