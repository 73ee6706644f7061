/** Who met which variant first, and what they did from then on, in SQL. */
import type { SeriesNode } from '../../../contract/queries/index.ts'
import { and, type Fragment, ident, join, or, sql, str, strings } from '../../../engines/clickhouse-sql.ts'
import { type Plan, scopeOf } from '../../plan/plan.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { conditionsOf } from '../../sql/filter.ts'
import { numberIn } from '../../sql/operators.ts'
import { seriesConditions } from '../../sql/series.ts'
import { within } from '../../sql/time.ts'

/** Instead of a variant: people who met several. */
export const MULTIPLE = '$multiple'

export interface ExperimentPlan extends Plan {
  readonly from: number
  readonly to: number
  readonly exposure: SeriesNode
  /** The event property that holds the variant. */
  readonly variantProperty: string
  readonly variants: readonly string[]
  /** People of several variants count for the first they met. */
  readonly firstSeen: boolean
  readonly type: 'funnel' | 'mean'
  /** Steps of a funnel, or what a mean is of. */
  readonly goals: readonly SeriesNode[]
}

/** Rows: variant, people, total, squares, and how many reached each step. */
export function metricStatement(plan: ExperimentPlan): Fragment {
  const steps = plan.type === 'funnel' ? plan.goals.map((_, at) => sql`countIf(${reached(at)} > 0)`) : []
  const value = plan.type === 'funnel' ? sql`toFloat64(${reached(plan.goals.length - 1)} > 0)` : sql`amount`
  return sql`SELECT variant, count() AS people, sum(${value}) AS total, sum(${value} * ${value}) AS squares,
    [${join([sql`toUInt64(0)`, ...steps], ', ')}] AS steps
  FROM (${exposed(plan)}) GROUP BY variant`
}

/** Rows: variant, day of the first exposure, people. */
export const exposureStatement = (plan: ExperimentPlan): Fragment => sql`
  SELECT variant, toString(toDate(fromUnixTimestamp64Micro(since), ${str(plan.clock.timezone)})) AS day, count() AS people
  FROM (${exposed({ ...plan, goals: [] })}) GROUP BY variant, day ORDER BY day`

const reached = (at: number): Fragment => sql`${ident(`reached_${at}`)}`
const goal = (at: number): Fragment => sql`${ident(`goal_${at}`)}`
const times = (at: number): Fragment => sql`${ident(`times_${at}`)}`

/** One row a person that was exposed. */
function exposed(plan: ExperimentPlan): Fragment {
  const { goals, firstSeen, type } = plan
  const each = goals.map((_, at) =>
    type === 'funnel'
      ? sql`groupArrayIf(at, ${goal(at)}) AS ${times(at)}`
      : sql`groupArrayIf((at, amount_of_event), ${goal(at)}) AS ${times(at)}`,
  )
  const found = type === 'funnel' ? goals.map((_, at) => stepReached(at)) : goals.slice(0, 1).map(() => amount())
  const variant = firstSeen ? sql`first_variant` : sql`if(length(met) > 1, ${str(MULTIPLE)}, first_variant)`
  return sql`SELECT ${join([sql`${variant} AS variant`, sql`since`, ...found], ', ')}
  FROM (
    SELECT ${join(
      [
        sql`actor`,
        sql`groupUniqArrayIf(variant, exposure) AS met`,
        sql`argMinIf(variant, at, exposure) AS first_variant`,
        sql`minIf(at, exposure) AS since`,
        ...each,
      ],
      ', ',
    )}
    FROM (${events(plan)}) GROUP BY actor HAVING length(met) > 0
  )`
}

/** When a step was reached after the one before it (0: never). Each is taken as early as it could be. */
function stepReached(at: number): Fragment {
  if (at === 0) return sql`arrayMin(arrayFilter(t -> t >= since, ${times(0)})) AS ${reached(0)}`
  return sql`if(${reached(at - 1)} = 0, 0, arrayMin(arrayFilter(t -> t > ${reached(at - 1)}, ${times(at)}))) AS ${reached(at)}`
}

const amount = (): Fragment => sql`arraySum(arrayMap(x -> x.2, arrayFilter(x -> x.1 >= since, ${times(0)}))) AS amount`

function events(plan: ExperimentPlan): Fragment {
  const scope = scopeOf(plan, { from: plan.from, to: plan.to })
  const variant = sql`ifNull(${scope.property({ type: 'event', key: plan.variantProperty })}, '')`
  const exposure = and([
    ...seriesConditions(scope, plan.exposure, plan.operators),
    sql`has(${strings(plan.variants)}, ${variant})`,
  ])
  const goals = plan.goals.map((node) => and([sql`1`, ...seriesConditions(scope, node, plan.operators)]))
  const columns = [
    sql`${scope.person()} AS actor`,
    sql`toUnixTimestamp64Micro(e.timestamp) AS at`,
    sql`${variant} AS variant`,
    sql`toUInt8(${exposure}) AS exposure`,
    ...goals.map((condition, at) => sql`toUInt8(${condition}) AS ${goal(at)}`),
    ...(plan.type === 'mean' ? [sql`${amountOf(scope, plan.goals[0])} AS amount_of_event`] : []),
  ]
  const filters = conditionsOf(scope, plan.filters, plan.operators)
  const where = and([scope.ofProject(), within(plan.from, plan.to), or([exposure, ...goals]), ...filters])
  return sql`SELECT ${join(columns, ', ')} FROM ${scope.from()} WHERE ${where}`
}

/** What an event adds to a mean: one, or the number in a property. */
function amountOf(scope: EventScope, node: SeriesNode | undefined): Fragment {
  if (node?.math !== 'sum' || node.math_property === undefined) return sql`toFloat64(1)`
  return sql`ifNull(${numberIn(scope.property({ type: 'event', key: node.math_property }))}, 0)`
}
