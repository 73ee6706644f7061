/** All flags of a project together: which flag needs which, and what has to be read before they can be evaluated. */
import type {
  CohortCriteria,
  CompiledCohort,
  CompiledCondition,
  CompiledFlag,
  Needs,
  ProjectFlags,
} from './definition.ts'

export function compileProject({
  flags: given,
  cohorts,
  ...project
}: {
  readonly projectId: number
  readonly timezone: string
  readonly flags: readonly CompiledFlag[]
  readonly cohorts: ReadonlyMap<number, CompiledCohort>
  readonly groupTypes: ReadonlyMap<number, string>
}): ProjectFlags {
  const flags = given.toSorted((a, b) => (a.stored.key < b.stored.key ? -1 : 1))
  // An id counts before a key that looks like one.
  const named = new Map(flags.map((flag) => [flag.stored.key, flag]))
  for (const flag of flags) named.set(String(flag.stored.id), flag)
  return {
    ...project,
    flags,
    cohorts,
    named,
    undecidable: undecidableIn(flags, named),
    hasDependencies: flags.some(({ asksFor }) => asksFor.length > 0),
    hasLimits: flags.some(({ stored, contexts }) => stored.evaluation_runtime !== null || contexts.length > 0),
    needs: needsOf(flags, cohorts),
  }
}

/** How many flags may ask for each other in a row. */
const LONGEST_CHAIN = 100

/** Flags in a circle, flags that need a missing one, and flags that need such flags. */
function undecidableIn(
  flags: readonly CompiledFlag[],
  named: ReadonlyMap<string, CompiledFlag>,
): ReadonlySet<CompiledFlag> {
  const undecidable = new Set<CompiledFlag>()
  /** How long the chain behind a flag is. */
  const lengths = new Map<CompiledFlag, number>()
  const underWay = new Set<CompiledFlag>()
  const visit = (flag: CompiledFlag): number => {
    const known = lengths.get(flag)
    if (known !== undefined) return known
    if (underWay.has(flag) || underWay.size > LONGEST_CHAIN) return Number.POSITIVE_INFINITY
    underWay.add(flag)
    const behind = flag.asksFor.map((name) => {
      const other = named.get(name)
      return other === undefined ? Number.POSITIVE_INFINITY : visit(other) + 1
    })
    underWay.delete(flag)
    const length = Math.max(0, ...behind)
    const possible = length <= LONGEST_CHAIN
    if (!possible) undecidable.add(flag)
    lengths.set(flag, possible ? length : Number.POSITIVE_INFINITY)
    return length
  }
  for (const flag of flags) if (flag.asksFor.length > 0) visit(flag)
  return undecidable
}

/** The flags that this one needs, in the order they have to be decided; empty when that is not possible. */
export function dependencyChain(flag: CompiledFlag, { named, undecidable }: ProjectFlags): readonly CompiledFlag[] {
  if (undecidable.has(flag)) return []
  const chain = new Set<CompiledFlag>()
  const add = (each: CompiledFlag): void => {
    if (chain.has(each)) return
    for (const name of each.asksFor) {
      const other = named.get(name)
      if (other) add(other)
    }
    chain.add(each)
  }
  add(flag)
  return [...chain]
}

function needsOf(flags: readonly CompiledFlag[], cohorts: ReadonlyMap<number, CompiledCohort>): Needs {
  const active = flags.filter(({ stored }) => stored.active)
  const conditions = active.flatMap((flag) => [...flag.conditions, ...flag.superConditions])
  const used = cohortsIn(conditions, cohorts)
  const kinds = new Set(conditions.flatMap(({ filters }) => filters.map(({ kind }) => kind)))
  return {
    person:
      kinds.has('person') ||
      kinds.has('person_metadata') ||
      used.length > 0 ||
      active.some(({ enrollment }) => enrollment !== null),
    hashKeys: active.some(({ stored }) => stored.ensure_experience_continuity),
    staticCohorts: used.some(({ kind }) => kind === 'static'),
    behaviouralCohorts: used.filter(({ kind }) => kind === 'behavioural').map(({ id }) => id),
    groupTypes: [...new Set(conditions.flatMap(groupTypesIn))],
  }
}

const groupTypesIn = ({ filters, groupTypeIndex }: CompiledCondition): number[] =>
  filters.flatMap((filter) => {
    const index = filter.kind === 'group' ? (filter.groupTypeIndex ?? groupTypeIndex) : null
    return index === null ? [] : [index]
  })

/** Those that conditions name, and those that these are made of. */
function cohortsIn(
  conditions: readonly CompiledCondition[],
  cohorts: ReadonlyMap<number, CompiledCohort>,
): CompiledCohort[] {
  const found = new Map<number, CompiledCohort>()
  const add = (id: number): void => {
    const cohort = cohorts.get(id)
    if (cohort === undefined || found.has(id)) return
    found.set(id, cohort)
    if (cohort.kind === 'properties') for (const inner of idsIn(cohort.criteria)) add(inner)
  }
  for (const { filters } of conditions) for (const filter of filters) if (filter.kind === 'cohort') add(filter.cohortId)
  return [...found.values()]
}

export function idsIn(criteria: CohortCriteria): number[] {
  if (criteria.kind === 'group') return criteria.values.flatMap(idsIn)
  if (criteria.kind === 'not') return idsIn(criteria.of)
  return criteria.kind === 'cohort' ? [criteria.cohortId] : []
}
