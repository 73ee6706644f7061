import type { PropertyGroup } from '../../contract/queries/index.ts'
import { type Place, pageOf, type Statements } from '../../engines/postgres/index.ts'
import { lastSeen, type Person, type PersonRecord, personColumns, personOf } from '../../identity/index.ts'
import { cohortMembers, openInsightContext } from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { readOn } from '../frame/list-positions.ts'
import { envelope } from '../frame/pagination.ts'
import { PersonCounts } from './count-persons.ts'
import { checkPersonPatterns, type FilterContext, personCondition } from './person-filter.ts'
import type { PersonQuery } from './person-query.ts'
import { listedPerson } from './person-record.ts'

const PAGE_OF_CURSOR = 500
/** A pattern can be arbitrarily slow; a list of persons must not be. */
const LONGEST_MS = 20_000
interface PersonPage {
  readonly count: number
  readonly persons: readonly Person[]
  /** The newest person there was: pages that follow look no further. */
  readonly asOf: number
  /** Where the page ends, null when it is not full. */
  readonly end: Place | null
  readonly hasMore: boolean
}

type Asked = Pick<ProjectCall, 'sql' | 'reading' | 'clickhouse' | 'project' | 'now'>

const counts = new PersonCounts()
type Ordered = PersonRecord & { readonly place: string }

/** A page of persons as the API answers it. `query` is what was asked, and more where the path says more. */
export async function answerPersons(call: ProjectCall<PersonQuery>, query: PersonQuery = call.query) {
  const byCreation = query.order === undefined || query.order === '-created_at'
  // The place where a page ended is known in the order of creation alone: in another one, offsets count as they are.
  const { count, persons, asOf, hasMore } = byCreation
    ? await readOn(call, (behind) => listPersons(call, query, behind))
    : await listPersons(call, query)
  const results = persons.map((person) => listedPerson(person, call.project))
  return envelope(call.url, query, count, results, { extra: { as_of: String(asOf) }, hasMore })
}

export async function listPersons(call: Asked, query: PersonQuery, behind?: Place): Promise<PersonPage> {
  const { project, reading } = call
  const context = await filterContext(call, query)
  const condition = (sql: Statements) => personCondition(sql, project.id, query, context)
  const { distinct_id, email, search, properties, cohort } = query
  const list = JSON.stringify([project.id, distinct_id, email, search, properties, cohort])
  return reading((sql) =>
    sql.begin(async (tx) => {
      const count = await counts.count({ sql, tx }, list, condition)
      await tx`SELECT set_config('statement_timeout', ${String(LONGEST_MS)}, true)`
      // Of all projects: it is read from the end of an index.
      const [{ newest }] = await tx<[{ newest: number | null }]>`SELECT max(id) AS newest FROM persons`
      const where = condition(tx)
      const found = await tx<Ordered[]>`
      SELECT ${personColumns(tx)}, p.created_at::text AS place FROM persons p
      WHERE ${where} ${behind ? tx`AND ${isBehind(tx, behind)}` : tx``}
      ORDER BY ${orderOf(tx, query)}, p.uuid LIMIT ${query.limit + 1} OFFSET ${behind ? 0 : query.offset}`
      const { rows, ...page } = pageOf(found, query.limit, ({ place, uuid }) => [place, uuid])
      const persons = rows.map(({ place: _, ...person }) => personOf(person))
      return { count, persons, asOf: query.as_of ?? newest ?? 0, ...page }
    }, 'snapshot'),
  )
}

function orderOf(sql: Statements, { order = '-created_at' }: PersonQuery) {
  switch (order) {
    case '-created_at':
      return sql`p.created_at DESC`
    case 'created_at':
      return sql`p.created_at`
    case '-last_seen_at':
      return sql`${lastSeen(sql)} DESC`
    case 'last_seen_at':
      return lastSeen(sql)
  }
}

/** The first condition follows from the second, and lets the index begin there. */
const isBehind = (sql: Statements, [createdAt, uuid]: Place) => sql`
  (p.created_at <= ${createdAt}::text::timestamptz
   AND (p.created_at < ${createdAt}::text::timestamptz OR p.uuid > ${uuid}::text::uuid))`

/**
 * Everybody a query asks for, page by page in the order of the list and as of one moment, as often as wanted: from
 * `offset` on, and no more than `limit` if there is one. Memory stays that of a page.
 */
export async function walkPersons(
  call: Asked,
  query: PersonQuery,
  { limit, offset }: { readonly limit: number | null; readonly offset: number },
  work: (walk: () => AsyncIterable<Person[]>) => Promise<void>,
): Promise<void> {
  const { project, reading } = call
  const context = await filterContext(call, query)
  await reading((sql) =>
    sql.begin(async (tx) => {
      await work(async function* () {
        const cursor = tx<PersonRecord[]>`
        SELECT ${personColumns(tx)} FROM persons p WHERE ${personCondition(tx, project.id, query, context)}
        ORDER BY ${orderOf(tx, query)}, p.uuid LIMIT ${limit} OFFSET ${offset}`.cursor(PAGE_OF_CURSOR)
        for await (const rows of cursor) yield rows.map(personOf)
      })
    }, 'snapshot'),
  )
}

async function filterContext(call: Asked, query: PersonQuery): Promise<FilterContext> {
  const { project, now } = call
  await checkPersonPatterns(call, query.properties)
  return {
    timezone: project.timezone,
    now: now().getTime(),
    members: await membersOf(call, [
      ...(query.cohort === undefined ? [] : [query.cohort]),
      ...cohortsIn(query.properties),
    ]),
  }
}

/** Who is in the cohorts a question names: they are known to ClickHouse. */
async function membersOf(call: Asked, cohorts: readonly string[]): Promise<FilterContext['members']> {
  const members = new Map<string, readonly string[]>()
  if (cohorts.length === 0) return members
  const context = await openInsightContext(call)
  for (const cohort of new Set(cohorts)) members.set(cohort, await cohortMembers(context, cohort))
  return members
}

const cohortsIn = (group: PropertyGroup | undefined): string[] =>
  (group?.values ?? []).flatMap((value) => {
    if (value.kind === 'group') return cohortsIn(value)
    return value.type === 'cohort' ? value.values : []
  })
