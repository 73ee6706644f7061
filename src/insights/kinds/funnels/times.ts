/** How long it took from one step to a later one, as a histogram. Funnels that are compared share their bins. */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { bestTries, secondsTo } from './best.ts'
import type { FunnelPlan } from './plan.ts'
import type { FunnelTimesResult } from './result.ts'

export interface TimesRow {
  readonly lowest: number
  readonly width: number
  /** One of each for every funnel. */
  readonly counts: readonly (readonly number[])[]
  readonly averages: readonly (number | null)[]
  readonly medians: readonly (number | null)[]
}

const MOST_BINS = 90
const MOST_BINS_ALONE = 60
/** When everybody took the same time. */
const WIDTH_OF_NOTHING = 60

export function timesResult(plans: readonly FunnelPlan[], row: TimesRow | undefined): FunnelTimesResult[] {
  return plans.map((plan, index) => ({
    kind: 'FunnelsQuery',
    viz: 'time_to_convert',
    plan,
    bins: (row?.counts[index] ?? []).map((count, bin) => [
      (row?.lowest ?? 0) + bin * (row?.width ?? 0),
      plan.sampling === undefined ? count : Math.round(count / plan.sampling),
    ]),
    average: rounded(row?.averages[index]),
    median: rounded(row?.medians[index]),
  }))
}

const rounded = (seconds: number | null | undefined): number | null =>
  seconds === undefined || seconds === null ? null : Math.round(seconds * 100) / 100

export function timesStatement(plans: readonly FunnelPlan[]): Fragment {
  const asked = plans[0]?.query.funnelsFilter?.binCount
  const bins =
    typeof asked === 'number'
      ? whole(Math.max(1, Math.min(asked, MOST_BINS)))
      : sql`least(${whole(MOST_BINS_ALONE)}, greatest(1, toInt64(ceil(cbrt(length(all))))))`
  const each = plans.map((_, index) => sql`samples${whole(index)}`)
  const from = plans.map((plan, index) => sql`(${samplesOf(plan)}) AS of${whole(index)}`)
  return sql`SELECT floor(arrayMin(all)) AS lowest, ceil(arrayMax(all)) AS highest, ${bins} AS bins,
  if(highest = lowest, ${whole(WIDTH_OF_NOTHING)}, ceil((highest - lowest) / bins)) AS width,
  [${join(
    each.map(
      (samples) =>
        sql`arrayMap(bin -> countEqual(arrayMap(sample -> toInt64(floor((sample - lowest) / width)), ${samples}), bin), range(toUInt64(bins + 1)))`,
    ),
    ', ',
  )}] AS counts,
  [${join(
    each.map((samples) => sql`arrayAvg(${samples})`),
    ', ',
  )}] AS averages,
  [${join(
    each.map((samples) => sql`arrayReduce('quantileExactInclusive(0.5)', ${samples})`),
    ', ',
  )}] AS medians
FROM (
  SELECT ${join(
    plans.map((_, index) => sql`of${whole(index)}.samples AS samples${whole(index)}`),
    ', ',
  )}, arrayConcat(${join(each, ', ')}) AS all
  FROM ${join(from, ', ')}
)
WHERE notEmpty(all)`
}

function samplesOf(plan: FunnelPlan): Fragment {
  const { fromStep, toStep } = plan
  const steps = plan.steps.map((_, step) => step).slice(fromStep + 1, toStep + 1)
  const took = steps.map(secondsTo).reduce((sum, seconds) => sql`${sum} + ${seconds}`)
  return sql`SELECT groupArray(${took}) AS samples FROM (${bestTries(plan)}) WHERE level > ${whole(toStep)}`
}
