import type { ClickHouse } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { propertyTypes } from '../identity/index.ts'
import type { InsightContext, InsightProject } from './context.ts'

/** What answering needs of a project. The join with merged persons is spared where there are none. */
export async function openInsightContext({
  sql,
  clickhouse,
  project,
  now,
}: {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly project: InsightProject
  now(): Date
}): Promise<InsightContext> {
  const [merged] = await sql`SELECT 1 FROM person_overrides WHERE project_id = ${project.id} LIMIT 1`
  return {
    clickhouse,
    project,
    now: now().getTime(),
    hasOverrides: merged !== undefined,
    async propertyTypes() {
      const types = await propertyTypes(sql, project.id)
      return (of, key) => types.get(`${of}/${key}`) ?? null
    },
  }
}
