/** The answer to a funnel query, before it is dressed for the wire. */
import type { FunnelPlan } from './plan.ts'

interface OfFunnel {
  readonly kind: 'FunnelsQuery'
  readonly plan: FunnelPlan
}

export interface FunnelGroup {
  /** The breakdown's values; empty without a breakdown. */
  readonly labels: readonly string[]
  /** Actors that reached at least each step. */
  readonly counts: readonly number[]
  /** Seconds from the step before; null for the first step, and where nobody made it. */
  readonly averages: readonly (number | null)[]
  readonly medians: readonly (number | null)[]
  /** Seconds from the first step to each; medians do not add up, so this is no sum of those above. */
  readonly totalMedians: readonly (number | null)[]
}
export interface FunnelStepsResult extends OfFunnel {
  readonly viz: 'steps'
  readonly groups: readonly FunnelGroup[]
  /** The same over the period it is compared with. */
  readonly previous?: FunnelStepsResult | undefined
}

export interface FunnelTimesResult extends OfFunnel {
  readonly viz: 'time_to_convert'
  readonly bins: readonly (readonly [seconds: number, count: number])[]
  readonly average: number | null
  readonly median: number | null
  readonly previous?: FunnelTimesResult | undefined
}

interface FunnelTrendGroup {
  readonly labels: readonly string[]
  /** For each interval, the per cent of those who entered. */
  readonly rates: readonly number[]
}
export interface FunnelTrendsResult extends OfFunnel {
  readonly viz: 'trends'
  readonly groups: readonly FunnelTrendGroup[]
  readonly previous?: FunnelTrendsResult | undefined
}

export type FunnelsResult = FunnelStepsResult | FunnelTimesResult | FunnelTrendsResult
