import type { Project } from '../../accounts/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { type Person, type PersonRecord, personColumns, personOf } from '../../identity/index.ts'
import { type FilterContext, invalidPatterns, personCondition } from './person-filter.ts'
import type { PersonQuery } from './person-query.ts'

const PAGE_OF_CURSOR = 500
/** A pattern can be arbitrarily slow; a list of persons must not be. */
const LONGEST_MS = 20_000
export interface PersonPage {
  readonly count: number
  readonly persons: readonly Person[]
  /** The newest person there was: pages that follow look no further. */
  readonly asOf: number
}

export async function listPersons(sql: Sql, project: Project, query: PersonQuery, now: Date): Promise<PersonPage> {
  const context = await filterContext(sql, project, query, now)
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
  sql: Sql,
  project: Project,
  query: PersonQuery,
  now: Date,
  work: (walk: () => AsyncIterable<Person[]>) => Promise<void>,
): Promise<void> {
  const context = await filterContext(sql, project, query, now)
  await sql.begin(async (tx) => {
    await work(async function* () {
      const cursor = tx<PersonRecord[]>`
        SELECT ${personColumns(tx)} FROM persons p WHERE ${personCondition(tx, project.id, query, context)}
        ORDER BY p.created_at DESC, p.uuid`.cursor(PAGE_OF_CURSOR)
      for await (const rows of cursor) yield rows.map(personOf)
    })
  }, 'snapshot')
}

const filterContext = async (sql: Sql, project: Project, query: PersonQuery, now: Date): Promise<FilterContext> => ({
  timezone: project.timezone,
  now: now.getTime(),
  invalidPatterns: await invalidPatterns(sql, query.properties),
})
