/** What SDKs download to evaluate flags themselves. */
import { asText, isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { dependencyChain, idsIn } from '../rules/compile-project.ts'
import type { CompiledCohort, CompiledFlag, ProjectFlags } from '../rules/definition.ts'

export function definitionsDocument(project: ProjectFlags) {
  const sent = project.flags.filter(
    ({ stored }) => !stored.has_encrypted_payloads && !stored.key.startsWith('survey-targeting-'),
  )
  return {
    flags: sent.map((flag) => flagDocument(flag, project)),
    group_type_mapping: Object.fromEntries([...project.groupTypes].map(([index, name]) => [String(index), name])),
    cohorts: Object.fromEntries(
      cohortsOf(sent, project).flatMap((cohort) =>
        cohort.kind === 'properties' ? [[String(cohort.id), cohortDocument(cohort.document)] as const] : [],
      ),
    ),
    minimal_flag_called_events: false,
    property_matching_version: 1,
  }
}

function flagDocument(flag: CompiledFlag, project: ProjectFlags) {
  const { stored } = flag
  return {
    id: stored.id,
    team_id: stored.project_id,
    name: stored.name,
    key: stored.key,
    filters: flag.broken === null ? withChains(stored.filters, project) : { groups: [] },
    deleted: false,
    active: stored.active && flag.broken === null,
    ensure_experience_continuity: stored.ensure_experience_continuity,
    has_encrypted_payloads: stored.has_encrypted_payloads,
    version: stored.version,
    evaluation_runtime: stored.evaluation_runtime,
    evaluation_contexts: [...stored.evaluation_contexts],
    evaluation_tags: [...stored.evaluation_contexts],
    bucketing_identifier: stored.bucketing_identifier,
    has_experiment: stored.has_experiment,
  }
}

/** Other flags by their keys, each with the order in which flags have to be decided for it. */
function withChains(filters: Json, project: ProjectFlags): Json {
  if (!isObject(filters) || !Array.isArray(filters.groups)) return filters
  const groups = filters.groups.map((group): Json => {
    if (!isObject(group) || !Array.isArray(group.properties)) return group
    return { ...group, properties: group.properties.map((filter) => withChain(filter, project)) }
  })
  return { ...filters, groups }
}

function withChain(filter: Json, project: ProjectFlags): Json {
  if (!isObject(filter) || filter.type !== 'flag') return filter
  const target = project.named.get(asText(filter.key))
  const chain = target === undefined ? [] : dependencyChain(target, project).map(({ stored }) => stored.key)
  return { ...filter, key: target?.stored.key ?? asText(filter.key), dependency_chain: chain }
}

function cohortsOf(flags: readonly CompiledFlag[], { cohorts }: ProjectFlags): CompiledCohort[] {
  const found = new Map<number, CompiledCohort>()
  const add = (id: number): void => {
    const cohort = cohorts.get(id)
    if (cohort === undefined || found.has(id)) return
    found.set(id, cohort)
    if (cohort.kind === 'properties') for (const inner of idsIn(cohort.criteria)) add(inner)
  }
  for (const { conditions } of flags)
    for (const { filters } of conditions)
      for (const filter of filters) if (filter.kind === 'cohort') add(filter.cohortId)
  return [...found.values()]
}

/** SDKs know `negation` inside of cohorts, and not the operators that mean the same. */
function cohortDocument(document: JsonObject): JsonObject {
  if (Array.isArray(document.values))
    return { ...document, values: document.values.map((each) => (isObject(each) ? cohortDocument(each) : each)) }
  if (document.type !== 'cohort' || (document.operator !== 'not_in' && document.operator !== 'is_not')) return document
  return { ...document, operator: 'in', negation: document.negation !== true }
}
