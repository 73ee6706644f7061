/** The flags of a project with everything they name, read from Postgres and ready to be evaluated. */
import type { Statements } from '../../engines/postgres/index.ts'
import { compileCohort } from '../rules/compile-cohort.ts'
import { compileFlag } from '../rules/compile-flag.ts'
import { compileProject } from '../rules/compile-project.ts'
import type { ProjectFlags } from '../rules/definition.ts'
import type { StoredFlag, StoredFlagCohort } from '../rules/stored.ts'

export async function readDefinitions(
  sql: Statements,
  { id: projectId, timezone }: { readonly id: number; readonly timezone: string },
): Promise<ProjectFlags> {
  const flags = await sql<StoredFlag[]>`
    SELECT f.id, f.project_id, f.key, f.name, f.filters, f.active AND NOT f.archived AS active, f.version,
      f.ensure_experience_continuity, f.evaluation_runtime, f.bucketing_identifier, f.evaluation_contexts, f.has_encrypted_payloads,
      EXISTS (SELECT 1 FROM experiments e WHERE e.feature_flag_id = f.id AND NOT e.deleted) AS has_experiment
    FROM feature_flags f WHERE f.project_id = ${projectId} AND NOT f.deleted`
  const cohorts = await sql<StoredFlagCohort[]>`
    SELECT id, is_static, filters, groups FROM cohorts WHERE project_id = ${projectId} AND NOT deleted`
  const types = await sql<{ index: number; name: string }[]>`
    SELECT group_type_index AS index, group_type AS name FROM group_types WHERE project_id = ${projectId}`
  return compileProject({
    projectId,
    timezone,
    flags: flags.map((flag) => compileFlag(flag, timezone)),
    cohorts: new Map(cohorts.map((cohort) => [cohort.id, compileCohort(cohort, timezone)])),
    groupTypes: new Map(types.map(({ index, name }) => [index, name])),
  })
}
