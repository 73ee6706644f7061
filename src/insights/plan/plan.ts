/** The passes that every insight goes through before it becomes SQL. */

import {
  allOf,
  type Bots,
  type DateRangeInput,
  type Interval,
  NO_FILTERS,
  type PropertyGroup,
  type SeriesNode,
} from '../../contract/queries/index.ts'
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import type { Fragment } from '../../engines/clickhouse-sql.ts'
import { namedIn } from '../definitions/named.ts'
import type { Facts } from '../facts/facts.ts'
import { expressionsOver } from '../hogql/expression.ts'
import { EventScope, type Expressions, type Named } from '../sql/event-scope.ts'
import { conditionsOf } from '../sql/filter.ts'
import type { OperatorContext } from '../sql/operators.ts'
import { sampled } from '../sql/sampling.ts'
import { seriesConditions } from '../sql/series.ts'
import { within } from '../sql/time.ts'
import { botFilters } from './bots.ts'
import { type Clock, type DateRange, planDateRange } from './date-range.ts'
import { testAccountFilters } from './test-accounts.ts'

interface CommonQuery {
  readonly dateRange: DateRangeInput
  readonly filterTestAccounts: boolean
  readonly properties: PropertyGroup
  readonly bots?: Bots | undefined
  readonly aggregation_group_type_index?: number | undefined
  readonly samplingFactor?: number | undefined
}

/** What is settled before any SQL is written. */
export interface Plan {
  readonly clock: Clock
  readonly range: DateRange
  /** The query's own properties and, when asked for, the project's test-account filters. */
  readonly filters: PropertyGroup
  readonly operators: OperatorContext
  readonly sampling: number | undefined
  /** Actors are groups of this type instead of persons. */
  readonly groupIndex: number | undefined
  readonly projectId: number
  readonly hasOverrides: boolean
  readonly expressions: Expressions
  readonly named: Named
  readonly channelRules: readonly ChannelRule[]
}

export function planCommon(query: CommonQuery, interval: Interval, facts: Facts): Plan {
  const { project, now, hasOverrides, earliestEvent } = facts
  const clock: Clock = {
    now,
    timezone: project.timezone,
    weekStart: project.week_start_day,
    ...(earliestEvent === undefined ? {} : { earliestEvent }),
  }
  return {
    clock,
    range: planDateRange(query.dateRange, interval, clock),
    filters: allOf(
      query.properties,
      query.filterTestAccounts ? testAccountFilters(facts) : NO_FILTERS,
      botFilters(query.bots),
    ),
    operators: { timezone: clock.timezone, now: clock.now },
    sampling: query.samplingFactor === 1 ? undefined : query.samplingFactor,
    groupIndex: query.aggregation_group_type_index,
    projectId: project.id,
    hasOverrides,
    expressions: expressionsOver(facts.propertyType),
    named: namedIn(facts),
    channelRules: project.channel_rules ?? [],
  }
}

/** A fresh view of the events a plan is about. */
export const scopeOf = (
  { projectId, hasOverrides, expressions, named, channelRules, clock, range: whole }: Plan,
  range: Pick<DateRange, 'from' | 'to'> = whole,
): EventScope =>
  new EventScope({ projectId, hasOverrides, expressions, named, channelRules, timezone: clock.timezone }, range)

/** Conditions on an event to be counted for a series: project, time, name, filters of series and query, sampling. */
export function eventConditions(
  plan: Plan,
  scope: EventScope,
  series: SeriesNode,
  range: Pick<DateRange, 'from' | 'to'> = plan.range,
): Fragment[] {
  return [
    scope.ofProject(),
    within(range.from, range.to),
    ...seriesConditions(scope, series, plan.operators),
    ...conditionsOf(scope, plan.filters, plan.operators),
    ...sampled(scope, plan.sampling),
  ]
}
