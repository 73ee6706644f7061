/** The events that matter to a funnel, each as the number (or numbers) that stand for it. */
import { and, type Fragment, join, or, sql } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import { seriesConditions } from '../../sql/series.ts'
import { whole } from '../../sql/whole.ts'
import { valueId } from './breakdown.ts'
import { eventCodes, type Kind } from './codes.ts'
import { funnelActor, funnelConditions, hasBegun, stepConditions } from './conditions.ts'
import type { Masks } from './masks.ts'
import type { FunnelPlan } from './plan.ts'

export interface StepEvents {
  /**
   * Columns actor and element; held when properties are; value (the number of its breakdown value) and at when there is
   * a breakdown.
   */
  readonly statement: Fragment
  /** `element` is an array of elements. */
  readonly several: boolean
}

export function stepEvents(plan: FunnelPlan, masks: Masks): StepEvents {
  const scope = scopeOf(plan)
  // Conditions have names, because they are needed several times over and may hold questions of their own.
  const steps = plan.steps.map((node, step): Kind => ({ node, is: sql`is${whole(step)}` }))
  const exclusions = plan.exclusions.map(({ node }, index): Kind => ({ node, is: sql`out${whole(index)}` }))
  const conditions = [
    ...stepConditions(plan, scope).map((condition, step) => sql`(${condition}) AS is${whole(step)}`),
    ...plan.exclusions.map(
      ({ node }, index) => sql`(${and(seriesConditions(scope, node, plan.operators))}) AS out${whole(index)}`,
    ),
  ]
  const held = plan.heldConstant.map((key) => scope.property({ type: 'event', key }))
  const codes = plan.order === 'ordered' ? orderedCodes(plan, steps, exclusions) : undefined
  const columns = [
    ...conditions,
    sql`${funnelActor(plan, scope)} AS actor`,
    sql`${codes?.codes ?? masks.encode(steps.map(isIt), exclusions.map(isIt))} AS element`,
    ...(held.length === 0 ? [] : [sql`CAST([${join(held, ', ')}], 'Array(Nullable(String))') AS held`]),
    ...(plan.breakdown === undefined
      ? []
      : [sql`${valueId(plan, scope)} AS value`, sql`toUInt64(toUnixTimestamp64Micro(e.timestamp)) AS at`]),
  ]
  const where = and([
    ...funnelConditions(plan, scope),
    ...(plan.order === 'strict' ? hasBegun(plan, scope) : [or([...steps, ...exclusions].map(isIt))]),
    ...held.map((each) => sql`isNotNull(${each})`),
  ])
  return {
    statement: sql`SELECT ${join(columns, ', ')} FROM ${scope.from()} WHERE ${where}`,
    several: codes !== undefined && !codes.single,
  }
}

const isIt = ({ is }: Kind): Fragment => is

const orderedCodes = (plan: FunnelPlan, steps: readonly Kind[], exclusions: readonly Kind[]) =>
  eventCodes(
    plan.required.map((step) => steps[step] as Kind),
    exclusions,
    plan.optional.map(({ step, after }) => ({ ...(steps[step] as Kind), after })),
  )
