/** What surrounds a result: one envelope for the legacy endpoints (`result`), one for query nodes (`results`). */
import { kindOf } from '../kinds.ts'
import type { InsightAnswer, InsightResult } from '../run.ts'
import { explainOnWire } from './explain.ts'
import { isoInZone } from './labels.ts'
import type { Links } from './links.ts'

interface EnvelopeOptions {
  readonly isCached?: boolean
  /** When the numbers were calculated, ms since epoch. */
  readonly lastRefresh?: number | null
  readonly next?: string | null
  /** Show the statements that were run. */
  readonly explain?: boolean
  readonly links?: Links
}

export const resultOnWire = (result: InsightResult, links?: Links): unknown => kindOf(result.kind).onWire(result, links)

export const legacyEnvelope = (answer: InsightAnswer, options: EnvelopeOptions = {}) => ({
  result: resultOnWire(answer.result, options.links),
  timezone: answer.result.plan.clock.timezone,
  ...freshness(options),
  query_method: 'hogql',
  timings: timingsOf(answer),
  next: options.next ?? null,
  ...explained(answer, options),
})

export function queryEnvelope(answer: InsightAnswer, options: EnvelopeOptions = {}) {
  const { plan } = answer.result
  const zone = plan.clock.timezone
  return {
    results: resultOnWire(answer.result),
    ...totalMedian(answer.result),
    ...(answer.result.kind === 'FunnelCorrelationQuery' ? { totals: answer.result.totals } : {}),
    ...('hasMore' in answer.result ? { hasMore: answer.result.hasMore } : {}),
    error: null,
    hogql: null,
    modifiers: null,
    query_status: null,
    timings: timingsOf(answer),
    resolved_date_range: { date_from: isoInZone(plan.range.from, zone), date_to: isoInZone(plan.range.to, zone) },
    timezone: zone,
    ...freshness(options),
    ...explained(answer, options),
  }
}

/** Of a funnel's steps without a breakdown; with one, each value's steps say their own. */
const totalMedian = (result: InsightResult) =>
  result.kind === 'FunnelsQuery' && result.viz === 'steps' && result.plan.breakdown === undefined
    ? { total_median_conversion_time: result.groups[0]?.totalMedians.at(-1) ?? null }
    : {}

const freshness = ({ isCached, lastRefresh }: EnvelopeOptions) => ({
  is_cached: isCached ?? false,
  last_refresh: lastRefresh === undefined || lastRefresh === null ? null : new Date(lastRefresh).toISOString(),
})

/** Seconds, as upstream counts them. */
const timingsOf = (answer: InsightAnswer) => [{ k: './execute', t: answer.elapsedMs / 1000 }]

const explained = (answer: InsightAnswer, { explain }: EnvelopeOptions) =>
  explain ? { explain: explainOnWire(answer.asked) } : {}
