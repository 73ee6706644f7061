/** What surrounds a result: one envelope for the legacy endpoints (`result`), one for query nodes (`results`). */
import type { InsightAnswers, InsightKind, InsightResults, LegacyAnswers } from '../../contract/results/index.ts'
import { NotInSql } from '../as-sql/text.ts'
import { kindOf } from '../kinds/table.ts'
import type { InsightAnswer, InsightResult } from '../run/insight.ts'
import type { Envelope } from './envelope-fields.ts'
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
}

export const resultOnWire = (result: InsightResult): InsightResults[InsightKind] =>
  kindOf(result.kind).onWire(result).results

export function legacyEnvelope(
  answer: InsightAnswer,
  links: Links,
  options: EnvelopeOptions = {},
): LegacyAnswers[InsightKind] {
  const envelope: Omit<LegacyAnswers['PathsQuery'], 'result'> = {
    timezone: answer.result.plan.clock.timezone,
    ...freshness(options),
    query_method: 'hogql',
    timings: timingsOf(answer),
    next: options.next ?? null,
    ...explained(answer, options),
  }
  // One result of seven kinds is one of seven answers, which the compiler does not see.
  return { result: kindOf(answer.result.kind).linked(answer.result, links), ...envelope } as LegacyAnswers[InsightKind]
}

export function queryEnvelope(answer: InsightAnswer, options: EnvelopeOptions = {}): InsightAnswers[InsightKind] {
  const { plan } = answer.result
  const zone = plan.clock.timezone
  const envelope: Envelope = {
    error: null,
    ...readableSql(answer),
    modifiers: null,
    query_status: null,
    timings: timingsOf(answer),
    resolved_date_range: { date_from: isoInZone(plan.range.from, zone), date_to: isoInZone(plan.range.to, zone) },
    timezone: zone,
    ...freshness(options),
    ...explained(answer, options),
  }
  return { ...kindOf(answer.result.kind).onWire(answer.result), ...envelope }
}

/** The question in SQL that people read and run, or why there is none. */
function readableSql({ result }: InsightAnswer): Pick<Envelope, 'hogql' | 'no_hogql_reason'> {
  try {
    return { hogql: kindOf(result.kind).asSql(result) }
  } catch (error) {
    if (error instanceof NotInSql) return { hogql: null, no_hogql_reason: error.message }
    throw error
  }
}

const freshness = ({ isCached, lastRefresh }: EnvelopeOptions) => ({
  is_cached: isCached ?? false,
  last_refresh: lastRefresh === undefined || lastRefresh === null ? null : new Date(lastRefresh).toISOString(),
})

/** Seconds, as upstream counts them. */
const timingsOf = (answer: InsightAnswer) => [{ k: './execute', t: answer.elapsedMs / 1000 }]

const explained = (answer: InsightAnswer, { explain }: EnvelopeOptions) =>
  explain ? { explain: explainOnWire(answer.asked) } : {}
