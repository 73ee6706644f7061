/** Decisions, made once for each outcome of a flag, and the notes behind one when they are asked for. */
import type { Json } from '../../lib/json.ts'
import {
  BEHAVIOUR_MAX_AGE_MS,
  type ConditionAnalysis,
  FAILURES,
  type FailureCode,
  type FilterAnalysis,
  type FlagDecision,
  REASONS,
  type ReasonCode,
} from './decision.ts'
import type { CompiledCondition, CompiledFilter, CompiledFlag } from './definition.ts'

/** Instead of the place of a variant. */
export const NO_VARIANT = -1
export const HELD_OUT = -2

/** What was found for a flag. `index`: of the condition, or -1. */
export interface Found {
  readonly enabled: boolean
  /** Its place among the variants of the flag. */
  readonly variant: number
  readonly code: ReasonCode | FailureCode
  readonly index: number
}

const CODES = [...Object.keys(REASONS), ...Object.keys(FAILURES)]
const NUMBERS = new Map(CODES.map((code, number) => [code, number]))

export function decisionOf(
  flag: CompiledFlag,
  found: Found,
  usedBehaviour: boolean,
  trace: ConditionTrace | null,
): FlagDecision {
  const key = outcomeNumber(found, usedBehaviour)
  let decision = flag.decisions.get(key)
  if (decision === undefined) {
    decision = newDecision(flag, found, usedBehaviour)
    if (key >= 0) flag.decisions.set(key, decision)
  }
  return trace === null ? decision : { ...decision, conditions: trace.conditions }
}

const CONDITIONS = 8192
const VARIANTS = 4096

/** One small number for each outcome; -1 for flags with more conditions or variants than fit. */
function outcomeNumber({ enabled, variant, code, index }: Found, usedBehaviour: boolean): number {
  if (index + 1 >= CONDITIONS || variant + 2 >= VARIANTS) return -1
  const which = (NUMBERS.get(code) as number) * CONDITIONS + index + 1
  return ((which * VARIANTS + variant + 2) * 2 + Number(enabled)) * 2 + Number(usedBehaviour)
}

export function variantName({ variants, holdout }: CompiledFlag, place: number): string | null {
  return place === HELD_OUT ? (holdout?.id ?? null) : (variants[place]?.key ?? null)
}

function newDecision(
  flag: CompiledFlag,
  { enabled, variant: place, code, index }: Found,
  usedBehaviour: boolean,
): FlagDecision {
  const variant = variantName(flag, place)
  const failed = code in FAILURES
  const payload = enabled ? (ownPayload(flag, variant ?? 'true') ?? null) : null
  const reason = {
    code,
    conditionIndex: index < 0 ? null : index,
    description: descriptionOf(flag, code, index, usedBehaviour),
  }
  return {
    flag: flag.stored,
    key: flag.stored.key,
    enabled,
    variant,
    payload,
    reason,
    failed,
    written: { detail: null },
  }
}

const ownPayload = ({ payloads }: CompiledFlag, key: string): Json | undefined =>
  Object.hasOwn(payloads, key) ? payloads[key] : undefined

function descriptionOf(flag: CompiledFlag, code: Found['code'], index: number, usedBehaviour: boolean): string {
  if (code === 'flag_disabled' && flag.broken !== null) return `The stored definition cannot be read: ${flag.broken}`
  const words = code in FAILURES ? FAILURES[code as FailureCode] : REASONS[code as ReasonCode]
  const which = code === 'condition_match' ? `${words} ${index + 1}` : words
  return usedBehaviour ? `${which} (cohorts as of the last ${BEHAVIOUR_MAX_AGE_MS / 1000} seconds)` : which
}

/** How the conditions of one flag were decided. */
export class ConditionTrace {
  readonly conditions: ConditionAnalysis[] = []
  #filters: FilterAnalysis[] = []
  #hash: number | null = null

  filter({ filter }: CompiledFilter, matched: boolean, actual: Json | undefined): boolean {
    this.#filters.push({ filter, matched, actual })
    return matched
  }

  hash(hash: number): void {
    this.#hash = hash
  }

  end({ index, rollout }: CompiledCondition, code: ReasonCode): void {
    this.conditions.push({
      index,
      matched: code === 'condition_match',
      code,
      rolloutPercentage: rollout,
      rolloutHash: this.#hash,
      variant: null,
      filters: this.#filters,
    })
    this.#filters = []
    this.#hash = null
  }

  /** The variant of the condition that ended last. */
  variant(variant: string | null): void {
    const last = this.conditions.pop()
    if (last) this.conditions.push({ ...last, variant })
  }
}
