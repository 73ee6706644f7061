import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { listGroupTypes, propertyTypes } from '../../identity/index.ts'
import { NO_DEFINITIONS } from '../definitions/definitions.ts'
import type { InsightContext } from './context.ts'
import type { InsightProject } from './facts.ts'
import { loadDefinitions } from './load-definitions.ts'
import { savedRows } from './saved-rows.ts'

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
  const [has] = await sql<[{ overrides: boolean; definitions: boolean }]>`
    SELECT EXISTS (SELECT FROM person_overrides WHERE project_id = ${project.id}) AS overrides,
      EXISTS (SELECT FROM actions WHERE project_id = ${project.id} AND NOT deleted)
        OR EXISTS (SELECT FROM cohorts WHERE project_id = ${project.id} AND NOT deleted) AS definitions`
  return {
    clickhouse,
    project,
    now: now().getTime(),
    hasOverrides: has.overrides,
    definitions: has.definitions ? await loadDefinitions(sql, project.id) : NO_DEFINITIONS,
    async propertyTypes() {
      const types = await propertyTypes(sql, project.id)
      return (of, key) => types.get(`${of}/${key}`) ?? null
    },
    async groupTypes() {
      const types = await listGroupTypes(sql, project.id)
      return new Map(types.map(({ groupType, groupTypeIndex }) => [groupType, groupTypeIndex]))
    },
    savedRows: (tables) => savedRows(sql, project.id, tables),
  }
}
