/** Tables about persons that are put together for the question. */
import { type Fragment, join, sql, uint } from '../../engines/clickhouse-sql.ts'
import type { EventScope } from '../sql/event-scope.ts'
import type { Source } from './scope.ts'
import type { View, ViewContext } from './view.ts'

/** What tables about persons are joined with. Each question gets its own, which selects what is asked of it. */
export interface PersonTables {
  persons(context: ViewContext): Source
  distinctIds(context: ViewContext): Source
}

/** To stand after JOIN: a table whose `column` is `value`. */
export function joinedOn(source: Source, column: string, value: Fragment): Fragment {
  const key = source.field([column])
  if (key === undefined) throw new Error(`no column ${column} to join by`)
  return sql`${source.render()} ON ${key.value} = ${value}`
}

interface Columns {
  /** What `*` stands for, and what else can be asked for. */
  readonly columns: readonly string[]
  readonly values: Readonly<Record<string, Fragment>>
  /** Where they are read from, with an alias, and the condition on the project. */
  readonly from: Fragment
  readonly where?: Fragment
  /** The id of its person, if rows have one. */
  readonly person?: Fragment
}

/** A view whose columns are those of a statement of ours, and which knows the persons in them. */
function columnsOf(
  context: ViewContext,
  people: PersonTables,
  { columns, values, from, where, person }: Columns,
): View {
  let persons: Source | undefined
  const isOfDistinctId = columns.includes('distinct_id')
  return {
    columns,
    field(chain) {
      // Rows that are about a distinct id are what others reach as pdi.
      const [name = '', ...path] = chain[0] === 'pdi' && isOfDistinctId ? chain.slice(1) : chain
      if (name === 'person' && person !== undefined && path.length > 0) {
        persons ??= people.persons(context)
        const found = persons.field(path)
        return found && { ...found, nullable: true }
      }
      const value = path.length === 0 && Object.hasOwn(values, name) ? values[name] : undefined
      return value && { value, kind: 'other', nullable: false }
    },
    from() {
      const joined = persons && person ? sql` LEFT ANY JOIN ${joinedOn(persons, 'id', person)}` : sql``
      return sql`${from}${joined}${where ? sql` WHERE ${where}` : sql``}`
    },
  }
}

/** Which person a distinct id belongs to, as far as it has events. */
export function personDistinctIdsView(context: ViewContext, scope: EventScope, people: PersonTables): View {
  const person = scope.person()
  return columnsOf(context, people, {
    columns: ['distinct_id', 'person_id'],
    values: { distinct_id: sql`ids.distinct_id`, person_id: sql`ids.person_id` },
    person: sql`ids.person_id`,
    from: sql`(
  SELECT e.distinct_id AS distinct_id, argMax(${person}, e.timestamp) AS person_id
  FROM ${scope.from()} WHERE ${scope.ofProject()} GROUP BY distinct_id) AS ids`,
  })
}

const MEMBERS = { cohort_id: sql`m.cohort_id`, person_id: sql`m.person_id` }
const NO_MEMBERS = sql`SELECT toUInt32(0) AS cohort_id, toUUID('00000000-0000-0000-0000-000000000000') AS person_id WHERE 0`

/** Everybody who is in a cohort right now. */
export function cohortPeopleView(context: ViewContext, people: PersonTables): View {
  const { named } = context
  const members = (named?.cohorts ?? []).map(
    (id) =>
      sql`SELECT toUInt32(${uint(id)}) AS cohort_id, id AS person_id FROM (${(named as NonNullable<typeof named>).members(String(id), ['query'])})`,
  )
  const all = members.length === 0 ? NO_MEMBERS : join(members, ' UNION ALL ')
  return columnsOf(context, people, {
    columns: ['cohort_id', 'person_id'],
    values: MEMBERS,
    person: sql`m.person_id`,
    from: sql`(${all}) AS m`,
  })
}

/** Everybody who was put into a static cohort. */
export const staticCohortPeopleView = (context: ViewContext, people: PersonTables): View =>
  columnsOf(context, people, {
    columns: ['cohort_id', 'person_id'],
    values: MEMBERS,
    person: sql`m.person_id`,
    from: sql`(
  SELECT cohort_id, person_id FROM cohort_people FINAL
  WHERE project_id = ${uint(context.projectId)} AND is_deleted = 0) AS m`,
  })
