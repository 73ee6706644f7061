import { type Person, type PersonRecord, personColumns, personOf } from '../../identity/index.ts'
import { cohortMembers, openInsightContext, type PropertyGroup } from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { checkPersonPatterns, type FilterContext, personCondition } from './person-filter.ts'
import type { PersonQuery } from './person-query.ts'

const PAGE_OF_CURSOR = 500
/** A pattern can be arbitrarily slow; a list of persons must not be. */
const LONGEST_MS = 20_000
interface PersonPage {
  readonly count: number
  readonly persons: readonly Person[]
  /** The newest person there was: pages that follow look no further. */
  readonly asOf: number
}

type Asked = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>

export async function listPersons(call: Asked, query: PersonQuery): Promise<PersonPage> {
  const { sql, project } = call
  const context = await filterContext(call, query)
  return sql.begin(async (tx) => {
    await tx`SELECT set_config('statement_timeout', ${String(LONGEST_MS)}, true)`
    const where = personCondition(tx, project.id, query, context)
    const [counted] = await tx<[{ count: number; newest: number | null }]>`
      SELECT count(*) AS count, max(p.id) AS newest FROM persons p WHERE ${where}`
    const found = await tx<PersonRecord[]>`
      SELECT ${personColumns(tx)} FROM persons p WHERE ${where}
      ORDER BY p.created_at DESC, p.uuid LIMIT ${query.limit} OFFSET ${query.offset}`
    return { count: counted.count, persons: found.map(personOf), asOf: query.as_of ?? counted.newest ?? 0 }
  }, 'snapshot')
}

/**
 * Everybody a query asks for, page by page in the order of the list and as of one moment, as often as wanted: limit and offset do not
 * count. Memory stays that of a page.
 */
export async function walkPersons(
  call: Asked,
  query: PersonQuery,
  work: (walk: () => AsyncIterable<Person[]>) => Promise<void>,
): Promise<void> {
  const { sql, project } = call
  const context = await filterContext(call, query)
  await sql.begin(async (tx) => {
    await work(async function* () {
      const cursor = tx<PersonRecord[]>`
        SELECT ${personColumns(tx)} FROM persons p WHERE ${personCondition(tx, project.id, query, context)}
        ORDER BY p.created_at DESC, p.uuid`.cursor(PAGE_OF_CURSOR)
      for await (const rows of cursor) yield rows.map(personOf)
    })
  }, 'snapshot')
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
