/**
 * What each flag is for somebody. Flags are decided in order: disabled, early access, holdout, then the conditions, of
 * which the first that matches wins. What one flag cannot be decided by (a person that could not be read, a cohort that
 * is not there) fails that flag alone.
 */
import type { Json } from '../../lib/json.ts'
import { matchesCohort } from './cohort-membership.ts'
import { ConditionTrace, decisionOf, type Found, HELD_OUT, NO_VARIANT, variantName } from './decide.ts'
import { type FailureCode, type FlagDecision, flagValue, type ReasonCode } from './decision.ts'
import type { CompiledCondition, CompiledFilter, CompiledFlag, Matcher, ProjectFlags, Subject } from './definition.ts'
import { HOLDOUT } from './hash.ts'
import { SearchBudget } from './search-budget.ts'
import { type Asking, bucketOf, groupKey, groupProperty, personMetadata, personProperty } from './subject.ts'
import { Undecided } from './undecided.ts'

export interface EvaluationOptions {
  /** Adds to each decision how every condition was decided. */
  readonly explain?: boolean
  /** What the id alone has decided before, by the place of a flag: used, and filled in. */
  readonly byId?: (FlagDecision | undefined)[]
}

/** Decides the chosen flags of a project, in their order; all of them when none are chosen. */
export function evaluateFlags(
  project: ProjectFlags,
  subject: Subject,
  chosen: readonly CompiledFlag[] = project.flags,
  options: EvaluationOptions = {},
): FlagDecision[] {
  const asking: Asking = {
    project,
    subject,
    decided: project.hasDependencies ? new Map() : null,
    usedBehaviour: false,
    explain: options.explain === true,
    budget: new SearchBudget(),
  }
  const decisions: FlagDecision[] = []
  const { byId } = options
  for (let place = 0; place < chosen.length; place++) {
    const flag = chosen[place] as CompiledFlag
    const known = byId?.[place]
    const decision = known ?? decide(flag, asking)
    if (byId && flag.byIdAlone && known === undefined) byId[place] = decision
    decisions.push(decision)
  }
  return decisions
}

function decide(flag: CompiledFlag, asking: Asking): FlagDecision {
  const known = asking.decided?.get(flag)
  if (known) return known
  const usedBefore = asking.usedBehaviour
  asking.usedBehaviour = false
  const trace = asking.explain ? new ConditionTrace() : null
  let decision: FlagDecision
  try {
    decision = decisionOf(flag, found(flag, asking, trace), asking.usedBehaviour, trace)
  } catch (error) {
    if (!(error instanceof Undecided)) throw error
    decision = decisionOf(flag, failure(error.code), false, trace)
  }
  asking.usedBehaviour ||= usedBefore
  asking.decided?.set(flag, decision)
  return decision
}

const failure = (code: FailureCode): Found => ({ enabled: false, variant: NO_VARIANT, code, index: -1 })
const off = (code: ReasonCode, index = -1): Found => ({ enabled: false, variant: NO_VARIANT, code, index })

function found(flag: CompiledFlag, asking: Asking, trace: ConditionTrace | null): Found {
  if (flag.broken !== null || !flag.stored.active) return off('flag_disabled')
  if (asking.project.undecidable.size > 0 && asking.project.undecidable.has(flag)) return off('missing_dependency')
  if (flag.enrollment !== null) {
    const enrolled = enrolment(flag, asking)
    if (enrolled !== undefined)
      return { enabled: enrolled, variant: NO_VARIANT, code: 'super_condition_value', index: 0 }
  }
  if (flag.holdout !== null && isHeldOut(flag, flag.holdout.share, asking))
    return { enabled: true, variant: HELD_OUT, code: 'holdout_condition_value', index: -1 }
  return byConditions(flag, asking, trace)
}

/** Undefined: the person has not said. */
function enrolment(flag: CompiledFlag, asking: Asking): boolean | undefined {
  if (flag.enrollment === 'property') {
    const value = personProperty(`$feature_enrollment/${flag.stored.key}`, asking)
    return value === undefined ? undefined : value === true || value === 'true'
  }
  const condition = flag.superConditions.find(({ filters }) => filters.length > 0)
  const said = condition?.filters.some(
    (filter) => filter.kind === 'person' && personProperty(filter.key, asking) !== undefined,
  )
  if (!condition || !said) return undefined
  return decideCondition(condition, flag, asking, null) === 'condition_match'
}

/** By the id itself, not by a stored hash key: the same people are held out of every flag. */
function isHeldOut(flag: CompiledFlag, share: number, asking: Asking): boolean {
  const { subject } = asking
  const group = flag.groupTypeIndex
  const id = group !== null ? groupKey(group, asking) : flag.byDevice ? subject.deviceId : subject.distinctId
  if (id === undefined || share <= 0) return false
  return share >= 1 || (id === '' ? 0 : HOLDOUT.rollout(id)) <= share
}

const SCORES: Partial<Record<ReasonCode, number>> = { out_of_rollout_bound: 3, no_condition_match: 2, no_group_type: 1 }

function byConditions(flag: CompiledFlag, asking: Asking, trace: ConditionTrace | null): Found {
  let best: ReasonCode = 'no_condition_match'
  let bestIndex = -1
  let bestScore = 0
  let matched: Found | null = null
  for (const condition of flag.conditions) {
    const code = decideCondition(condition, flag, asking, trace)
    trace?.end(condition, code)
    if (matched !== null) continue
    if (code === 'condition_match') {
      matched = { enabled: true, variant: variantOf(condition, flag, asking), code, index: condition.index }
      trace?.variant(variantName(flag, matched.variant))
    } else if (flag.earlyExit && code === 'out_of_rollout_bound') matched = off(code, condition.index)
    if (matched !== null && trace === null) return matched
    const score = SCORES[code] ?? 0
    // Of equal ones the later counts.
    if (score >= bestScore) {
      best = code
      bestIndex = condition.index
      bestScore = score
    }
  }
  return matched ?? off(best, bestIndex)
}

function decideCondition(
  condition: CompiledCondition,
  flag: CompiledFlag,
  asking: Asking,
  trace: ConditionTrace | null,
): ReasonCode {
  const { groupTypeIndex } = condition
  if (groupTypeIndex !== null && groupKey(groupTypeIndex, asking) === undefined) return 'no_group_type'
  if (groupTypeIndex === null && flag.byDevice && asking.subject.deviceId === undefined) return 'out_of_rollout_bound'
  let all = true
  for (const filter of condition.filters) {
    const matches = matchesFilter(filter, condition, asking, trace)
    if (matches) continue
    all = false
    if (trace === null) return 'no_condition_match'
  }
  if (!all) return 'no_condition_match'
  if (condition.rollout >= 100 && trace === null) return 'condition_match'
  const id = bucketOf(condition, flag, asking)
  const hash = id === '' ? 0 : flag.hash.rollout(id)
  trace?.hash(hash)
  return condition.rollout >= 100 || hash <= condition.rollout / 100 ? 'condition_match' : 'out_of_rollout_bound'
}

/** Its place among the variants. */
function variantOf(condition: CompiledCondition, flag: CompiledFlag, asking: Asking): number {
  if (condition.variant !== null) return flag.variants.findIndex(({ key }) => key === condition.variant)
  if (flag.variants.length === 0) return NO_VARIANT
  const id = bucketOf(condition, flag, asking)
  const hash = id === '' ? 0 : flag.hash.variant(id)
  for (let place = 0; place < flag.variants.length; place++) if (hash < (flag.variants[place]?.upTo ?? 0)) return place
  return NO_VARIANT
}

/** What another flag is for the same somebody. */
function dependency(name: string, asking: Asking): boolean | string {
  const flag = asking.project.named.get(name)
  if (flag === undefined) return false
  const decision = decide(flag, asking)
  if (decision.failed) throw new Undecided(decision.reason.code as FailureCode)
  return flagValue(decision)
}

function holds(
  matches: Matcher,
  value: Json | undefined,
  filter: CompiledFilter,
  asking: Asking,
  trace: ConditionTrace | null,
): boolean {
  const found = asking.budget.holds(matches, value, asking.subject.now)
  return trace ? trace.filter(filter, found, value) : found
}

function matchesFilter(
  filter: CompiledFilter,
  condition: CompiledCondition,
  asking: Asking,
  trace: ConditionTrace | null,
): boolean {
  switch (filter.kind) {
    case 'person': {
      const value = personProperty(filter.key, asking)
      return holds(filter.matches, value, filter, asking, trace)
    }
    case 'person_metadata': {
      const value = personMetadata(filter.key, asking)
      return holds(filter.matches, value, filter, asking, trace)
    }
    case 'group': {
      const value = groupProperty(filter.key, filter.groupTypeIndex ?? condition.groupTypeIndex, asking)
      return holds(filter.matches, value, filter, asking, trace)
    }
    case 'cohort': {
      const member = matchesCohort(filter.cohortId, asking)
      const matches = member !== filter.negated
      return trace ? trace.filter(filter, matches, member) : matches
    }
    case 'flag': {
      const value = dependency(filter.flag, asking)
      const matches = filter.expected === true ? value !== false : value === filter.expected
      return trace ? trace.filter(filter, matches, value) : matches
    }
  }
}
