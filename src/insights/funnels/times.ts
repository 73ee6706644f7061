/** How long it took from one step to a later one, as a histogram. */
import { type Fragment, sql } from '../../engines/clickhouse/index.ts'
import type { Conversation } from '../engine.ts'
import { whole } from '../sql/whole.ts'
import { bestTries } from './best.ts'
import type { FunnelPlan } from './plan.ts'
import type { FunnelTimesResult } from './result.ts'

interface Row {
  readonly lowest: number
  readonly width: number
  readonly counts: readonly number[]
  readonly average: number
  readonly median: number
}

const MOST_BINS = 90
const MOST_BINS_ALONE = 60
/** When everybody took the same time. */
const WIDTH_OF_NOTHING = 60

export async function funnelTimes(plan: FunnelPlan, conversation: Conversation): Promise<FunnelTimesResult> {
  const [row] = plan.steps.length < 2 ? [] : await conversation.ask<Row>(timesStatement(plan))
  const scale = plan.sampling === undefined ? 1 : 1 / plan.sampling
  return {
    kind: 'FunnelsQuery',
    viz: 'time_to_convert',
    plan,
    bins: (row?.counts ?? []).map((count, bin) => [
      (row?.lowest ?? 0) + bin * (row?.width ?? 0),
      scale === 1 ? count : Math.round(count * scale),
    ]),
    average: row === undefined ? null : Math.round(row.average * 100) / 100,
    median: row === undefined ? null : Math.round(row.median * 100) / 100,
  }
}

function timesStatement(plan: FunnelPlan): Fragment {
  const { fromStep, toStep } = plan
  const asked = plan.query.funnelsFilter?.binCount
  const bins =
    typeof asked === 'number'
      ? whole(Math.max(1, Math.min(asked, MOST_BINS)))
      : sql`least(${whole(MOST_BINS_ALONE)}, greatest(1, toInt64(ceil(cbrt(length(samples))))))`
  return sql`SELECT floor(arrayMin(samples)) AS lowest, ceil(arrayMax(samples)) AS highest, ${bins} AS bins,
  if(highest = lowest, ${whole(WIDTH_OF_NOTHING)}, ceil((highest - lowest) / bins)) AS width,
  arrayMap(bin -> countEqual(arrayMap(sample -> toInt64(floor((sample - lowest) / width)), samples), bin), range(toUInt64(bins + 1))) AS counts,
  arrayAvg(samples) AS average, arrayReduce('quantileExactInclusive(0.5)', samples) AS median
FROM (
  SELECT groupArray(arraySum(arraySlice(seconds, ${whole(fromStep + 1)}, ${whole(toStep - fromStep)}))) AS samples
  FROM (${bestTries(plan)})
  WHERE level > ${whole(toStep)}
)
WHERE notEmpty(samples)`
}
