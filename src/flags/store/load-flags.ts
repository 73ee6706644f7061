/** Reads the flags of projects, with all they are made of, as of one moment. */
import { setImmediate } from 'node:timers/promises'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import { type JsonObject, parseStoredJson } from '../../lib/json.ts'
import { compileCohort } from '../rules/compile-cohort.ts'
import { compileFlag } from '../rules/compile-flag.ts'
import { compileProject } from '../rules/compile-project.ts'
import type { CompiledCohort, CompiledFlag, ProjectFlags } from '../rules/definition.ts'
import type { StoredFlag, StoredFlagCohort } from '../rules/stored.ts'

export interface EarlyAccessFeature {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly stage: string
  readonly documentation_url: string
  readonly payload: JsonObject
  readonly flag_key: string | null
}

export interface LoadedProject {
  readonly flags: ProjectFlags
  readonly earlyAccess: readonly EarlyAccessFeature[]
  /** Changes with everything that is loaded here. */
  readonly fingerprint: string
}

/** A compiled flag is used again while its row is the same. */
export type CompiledRows = Map<string, CompiledFlag>

type FlagRow = Omit<StoredFlag, 'filters'> & { readonly filters: string; readonly row: string }
interface ProjectRow {
  readonly id: number
  readonly timezone: string
}

/** After so many flags others get a turn. */
const AT_ONCE = 100

/** `all`: those that have flags. */
export async function loadFlags(
  sql: Sql,
  projects: readonly number[] | 'all',
  known: CompiledRows = new Map(),
): Promise<Map<number, LoadedProject>> {
  const read = await sql.begin((tx) => readRows(tx, projects), 'snapshot')
  const loaded = new Map<number, LoadedProject>()
  for (const project of read.projects) {
    const rows = read.flags.get(project.id) ?? []
    const flags: CompiledFlag[] = []
    for (const [at, row] of rows.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await setImmediate()
      const key = `${row.row} ${project.timezone}`
      const flag = known.get(key) ?? compileFlag({ ...row, filters: parseStoredJson(row.filters) }, project.timezone)
      known.set(key, flag)
      flags.push(flag)
    }
    const flagsOfProject = compileProject({
      projectId: project.id,
      timezone: project.timezone,
      flags,
      cohorts: compiledCohorts(read.cohorts.get(project.id) ?? [], project.timezone),
      groupTypes: new Map((read.groupTypes.get(project.id) ?? []).map(({ index, name }) => [index, name])),
    })
    loaded.set(project.id, {
      flags: flagsOfProject,
      earlyAccess: read.earlyAccess.get(project.id) ?? [],
      fingerprint: read.fingerprints.get(project.id) ?? '',
    })
  }
  return loaded
}

/** One project as it is stored now, also when it has no flags. */
export async function readProjectFlags(sql: Sql, project: number): Promise<ProjectFlags> {
  const found = (await loadFlags(sql, [project])).get(project)
  if (!found) throw new Error(`project ${project} is gone`)
  return found.flags
}

const compiledCohorts = (rows: readonly StoredFlagCohort[], timezone: string): Map<number, CompiledCohort> =>
  new Map(rows.map((row) => [row.id, compileCohort(row, timezone)]))

async function readRows(tx: TransactionSql, projects: readonly number[] | 'all') {
  const among = (column: string) => (projects === 'all' ? tx`true` : tx`${tx(column)} = ANY(${[...projects]}::int[])`)
  const ofProjects =
    projects === 'all'
      ? tx`SELECT project_id FROM feature_flags WHERE NOT deleted`
      : tx`SELECT unnest(${[...projects]}::int[])`
  const projectRows = await tx<ProjectRow[]>`SELECT id, timezone FROM projects WHERE id IN (${ofProjects})`
  const flags = await tx<FlagRow[]>`
    SELECT id, project_id, key, name, filters::text AS filters, active AND NOT archived AS active, version,
      ensure_experience_continuity, evaluation_runtime, bucketing_identifier, evaluation_contexts, has_encrypted_payloads,
      experiment.runs AS has_experiment, concat_ws(' ', id, f.xmin, experiment.runs) AS row
    FROM feature_flags f, LATERAL (
      SELECT EXISTS (SELECT FROM experiments e WHERE e.feature_flag_id = f.id AND NOT e.deleted) AS runs) experiment
    WHERE NOT deleted AND ${among('project_id')} ORDER BY id`
  const groupTypes = await tx<{ project_id: number; index: number; name: string }[]>`
    SELECT project_id, group_type_index AS index, group_type AS name FROM group_types WHERE ${among('project_id')}`
  const cohorts = await tx<(StoredFlagCohort & { project_id: number })[]>`
    SELECT project_id, id, is_static, filters, groups FROM cohorts
    WHERE NOT deleted AND project_id IN (${ofProjects})`
  const earlyAccess = await tx<(EarlyAccessFeature & { project_id: number })[]>`
    SELECT e.project_id, e.id, e.name, e.description, e.stage, e.documentation_url, e.payload, f.key AS flag_key
    FROM early_access_features e LEFT JOIN feature_flags f ON f.id = e.feature_flag_id AND NOT f.deleted
    WHERE e.project_id IN (${ofProjects}) ORDER BY e.created_at DESC, e.id`
  return {
    projects: [...projectRows],
    flags: groupBy(flags, ({ project_id }) => project_id),
    groupTypes: groupBy(groupTypes, ({ project_id }) => project_id),
    cohorts: groupBy(cohorts, ({ project_id }) => project_id),
    earlyAccess: groupBy(earlyAccess, ({ project_id }) => project_id),
    fingerprints: await readFingerprints(tx, projects),
  }
}

/** One text for each project with flags: another one means that something has changed. */
export async function readFingerprints(
  sql: Sql | TransactionSql,
  projects: readonly number[] | 'all',
): Promise<Map<number, string>> {
  const among = projects === 'all' ? sql`true` : sql`project_id = ANY(${[...projects]}::int[])`
  const rows = await sql<{ project_id: number; fingerprint: string }[]>`
    WITH meant AS (SELECT DISTINCT project_id FROM feature_flags WHERE NOT deleted AND ${among}),
    parts (project_id, part) AS (
      SELECT project_id, concat_ws(' ', 'flag', id, xmin) FROM feature_flags WHERE NOT deleted AND ${among}
      UNION ALL SELECT project_id, concat_ws(' ', 'cohort', id, version) FROM cohorts WHERE NOT deleted
      UNION ALL SELECT project_id, concat_ws(' ', 'action', id, version) FROM actions WHERE NOT deleted
      UNION ALL SELECT project_id, concat_ws(' ', 'group type', group_type_index) FROM group_types
      UNION ALL SELECT project_id, concat_ws(' ', 'feature', id, xmin) FROM early_access_features
      UNION ALL SELECT project_id, concat_ws(' ', 'experiment', id, xmin) FROM experiments
      UNION ALL SELECT id, concat_ws(' ', 'project', timezone) FROM projects)
    SELECT project_id, concat_ws(' ', count(*), bit_xor(hashtextextended(part, 0))) AS fingerprint
    FROM parts WHERE project_id IN (SELECT project_id FROM meant) GROUP BY project_id`
  return new Map(rows.map(({ project_id, fingerprint }) => [project_id, fingerprint]))
}
