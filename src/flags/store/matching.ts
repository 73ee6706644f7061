/**
 * How many people (or groups) a condition is about, counted by the very rules that flags are decided by. Each row is
 * read with the few properties that the condition asks for; of very many only every n-th is looked at.
 */
import { setImmediate } from 'node:timers/promises'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { compileFlag } from '../rules/compile-flag.ts'
import { compileProject } from '../rules/compile-project.ts'
import { NOTHING_STORED, type ProjectFlags, type Subject } from '../rules/definition.ts'
import { evaluateFlags } from '../rules/evaluate.ts'
import { readProjectFlags } from './load-flags.ts'

/** So many are looked at one by one. */
const MOST_ROWS = 100_000
const AT_ONCE = 2_000
const LONGEST_MS = 20_000
/** Then others get a turn. */
const LONGEST_TURN_MS = 10

export interface Matching {
  readonly matching: number
  readonly total: number
  readonly isEstimate: boolean
}

export interface MatchingQuestion {
  readonly project: { readonly id: number; readonly timezone: string }
  /** A condition that has been checked (check/filters.ts). */
  readonly condition: JsonObject
  /** Null: persons. */
  readonly groupTypeIndex: number | null
  readonly now: number
  /** Everybody in a cohort, by uuid. */
  membersOf(cohort: number): Promise<ReadonlySet<string>>
}

export async function countMatching(sql: Sql, question: MatchingQuestion): Promise<Matching> {
  const { project, condition, groupTypeIndex } = question
  const flags = await withCondition(sql, project, condition, groupTypeIndex)
  const [asked] = flags.flags.filter(({ stored }) => stored.id === ASKED)
  const members = new Map<number, ReadonlySet<string>>()
  const named = [...flags.cohorts.keys()].filter((id) => flags.needs.behaviouralCohorts.includes(id))
  for (const id of named) members.set(id, await question.membersOf(id))
  return sql.begin(async (tx) => {
    await tx`SELECT set_config('statement_timeout', ${String(LONGEST_MS)}, true)`
    const total = await countAll(tx, project.id, groupTypeIndex)
    const every = Math.max(1, Math.ceil(total / MOST_ROWS))
    if (!asked) return { matching: 0, total, isEstimate: false }
    const keys = [...new Set(asked.conditions.flatMap(({ filters }) => filters.flatMap(keysOf)))]
    let looked = 0
    let matching = 0
    const began = performance.now()
    let busySince = began
    for await (const rows of rowsOf(tx, project.id, groupTypeIndex, keys, every))
      for (const row of rows) {
        looked++
        if (performance.now() - busySince > LONGEST_TURN_MS) {
          if (performance.now() - began > LONGEST_MS)
            throw new InvalidInput('So many people take too long to count: use fewer or simpler filters.', [
              'condition',
            ])
          await setImmediate()
          busySince = performance.now()
        }
        const [decision] = evaluateFlags(flags, subjectOf(row, flags, question, members), [asked])
        if (decision?.enabled) matching++
      }
    if (every === 1) return { matching, total, isEstimate: false }
    return { matching: Math.round((matching / Math.max(1, looked)) * total), total, isEstimate: true }
  }, 'snapshot')
}

/** The flag that holds the condition: no stored one has this id. */
const ASKED = 0

/** The project with one more flag, which is on for whoever matches. Who is in which cohort is asked of the engine. */
async function withCondition(
  sql: Sql,
  project: MatchingQuestion['project'],
  condition: JsonObject,
  groupTypeIndex: number | null,
): Promise<ProjectFlags> {
  const stored = await readProjectFlags(sql, project.id)
  const asked = compileFlag(
    {
      id: ASKED,
      project_id: project.id,
      key: ' asked',
      name: '',
      filters: {
        groups: [{ properties: condition.properties ?? [], rollout_percentage: 100 }],
        aggregation_group_type_index: groupTypeIndex,
      },
      active: true,
      version: 1,
      ensure_experience_continuity: false,
      evaluation_runtime: null,
      bucketing_identifier: null,
      evaluation_contexts: [],
      has_encrypted_payloads: false,
      has_experiment: false,
    },
    project.timezone,
  )
  const cohorts = new Map([...stored.cohorts.keys()].map((id) => [id, { id, kind: 'behavioural' as const }]))
  const { projectId, timezone, groupTypes, flags } = stored
  return compileProject({ projectId, timezone, groupTypes, cohorts, flags: [...flags, asked] })
}

interface Row {
  readonly id: string
  readonly properties: JsonObject | null
  readonly distinct_id: string | null
  readonly created_at: Date
}

const countAll = async (tx: TransactionSql, project: number, groupTypeIndex: number | null): Promise<number> => {
  const [counted] = await (groupTypeIndex === null
    ? tx<{ count: number }[]>`SELECT count(*) AS count FROM persons WHERE project_id = ${project}`
    : tx<{ count: number }[]>`
        SELECT count(*) AS count FROM groups WHERE project_id = ${project} AND group_type_index = ${groupTypeIndex}`)
  return counted?.count ?? 0
}

/** Only the properties that are asked for; all of them where other flags are. */
function rowsOf(
  tx: TransactionSql,
  project: number,
  groupTypeIndex: number | null,
  keys: readonly string[],
  every: number,
) {
  const some = tx`(SELECT jsonb_object_agg(k, x.properties -> k) FROM unnest(${[...keys]}::text[]) k WHERE x.properties ? k)`
  const properties = keys.includes(ALL) ? tx`x.properties` : some
  return groupTypeIndex === null
    ? tx<Row[]>`
        SELECT x.uuid AS id, ${properties} AS properties, x.created_at,
          (SELECT d.distinct_id FROM person_distinct_ids d WHERE d.person_id = x.id LIMIT 1) AS distinct_id
        FROM persons x WHERE x.project_id = ${project} AND x.id % ${every} = 0`.cursor(AT_ONCE)
    : tx<Row[]>`
        SELECT x.group_key AS id, ${properties} AS properties, NULL AS distinct_id, x.created_at
        FROM groups x WHERE x.project_id = ${project} AND x.group_type_index = ${groupTypeIndex}
          AND abs(hashtext(x.group_key)::bigint) % ${every} = 0`.cursor(AT_ONCE)
}

const ALL = '*'

/** A first value may stand for a missing one (rules/initial-properties.ts). */
function keysOf(filter: { readonly kind: string; readonly key?: string }): string[] {
  if (filter.kind === 'flag') return [ALL]
  if (filter.kind === 'cohort' || filter.key === undefined) return []
  const { key } = filter
  const base = key.startsWith('$initial_') ? key.slice('$initial_'.length) : null
  return base === null ? [key] : [key, `$${base}`, base]
}

function subjectOf(
  { id, properties, distinct_id, created_at }: Row,
  { groupTypes }: ProjectFlags,
  { groupTypeIndex, now }: MatchingQuestion,
  members: ReadonlyMap<number, ReadonlySet<string>>,
): Subject {
  const known = properties ?? {}
  const type = groupTypeIndex === null ? undefined : groupTypes.get(groupTypeIndex)
  const groups: Record<string, Json> = type === undefined ? {} : { [type]: id }
  return {
    distinctId: distinct_id ?? id,
    groups,
    personProperties: {},
    groupProperties: {},
    now,
    stored: {
      ...NOTHING_STORED,
      person: groupTypeIndex === null ? { uuid: id, properties: known, createdAt: created_at.getTime() } : null,
      groups: groupTypeIndex === null ? new Map() : new Map([[groupTypeIndex, known]]),
      isIn: (cohort) => ({ member: members.get(cohort)?.has(id) ?? false, ageMs: 0 }),
    },
  }
}
