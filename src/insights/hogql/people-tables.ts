/** Tables about persons that are put together for the question. */
import { type Fragment, join, sql, uint } from '../../engines/clickhouse-sql.ts'
import type { EventScope } from '../sql/event-scope.ts'
import type { View, ViewContext } from './view.ts'

/** A view whose columns are those of a statement of ours. */
function columnsOf(columns: readonly string[], values: Readonly<Record<string, Fragment>>, from: () => Fragment): View {
  return {
    columns,
    field([name = '', ...path]) {
      const value = path.length === 0 && Object.hasOwn(values, name) ? values[name] : undefined
      return value && { value, kind: 'other', nullable: false }
    },
    from,
  }
}

/** Which person a distinct id belongs to, as far as it has events. */
export function personDistinctIdsView(scope: EventScope): View {
  const person = scope.person()
  const values = { distinct_id: sql`d.distinct_id`, person_id: sql`d.person_id` }
  return columnsOf(
    ['distinct_id', 'person_id'],
    values,
    () => sql`(
  SELECT e.distinct_id AS distinct_id, argMax(${person}, e.timestamp) AS person_id
  FROM ${scope.from()} WHERE ${scope.ofProject()} GROUP BY distinct_id) AS d`,
  )
}

const MEMBERS = { cohort_id: sql`m.cohort_id`, person_id: sql`m.person_id` }
const NO_MEMBERS = sql`SELECT toUInt32(0) AS cohort_id, toUUID('00000000-0000-0000-0000-000000000000') AS person_id WHERE 0`

/** Everybody who is in a cohort right now. */
export function cohortPeopleView({ named }: ViewContext): View {
  const members = (named?.cohorts ?? []).map(
    (id) =>
      sql`SELECT toUInt32(${uint(id)}) AS cohort_id, id AS person_id FROM (${(named as NonNullable<typeof named>).members(String(id), ['query'])})`,
  )
  const all = members.length === 0 ? NO_MEMBERS : join(members, ' UNION ALL ')
  return columnsOf(['cohort_id', 'person_id'], MEMBERS, () => sql`(${all}) AS m`)
}

/** Everybody who was put into a static cohort. */
export const staticCohortPeopleView = ({ projectId }: ViewContext): View =>
  columnsOf(
    ['cohort_id', 'person_id'],
    MEMBERS,
    () => sql`cohort_people AS m FINAL WHERE m.project_id = ${uint(projectId)} AND m.is_deleted = 0`,
  )
