/** The passes that every insight goes through before it becomes SQL. */

import {
  allOf,
  type DateRangeInput,
  type Interval,
  NO_FILTERS,
  type PropertyGroup,
  readProperties,
  type SeriesNode,
} from '../../contract/queries/index.ts'
import { type Fragment, sql, uint } from '../../engines/clickhouse/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { namedIn } from '../definitions/named.ts'
import { checkPatterns } from '../facts/check-patterns.ts'
import type { InsightContext } from '../facts/context.ts'
import { openExpressions } from '../facts/expressions.ts'
import type { Conversation } from '../run/statement-runner.ts'
import { EventScope, type Expressions, type Named } from '../sql/event-scope.ts'
import { conditionsOf } from '../sql/filter.ts'
import type { OperatorContext } from '../sql/operators.ts'
import { sampled } from '../sql/sampling.ts'
import { seriesConditions } from '../sql/series.ts'
import { within } from '../sql/time.ts'
import { type Clock, type DateRange, planDateRange } from './date-range.ts'

interface CommonQuery {
  readonly dateRange: DateRangeInput
  readonly filterTestAccounts: boolean
  readonly properties: PropertyGroup
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
}

export async function planCommon(
  query: CommonQuery,
  interval: Interval,
  context: InsightContext,
  conversation: Conversation,
): Promise<Plan> {
  const clock = await clockOf(context, query.dateRange, conversation)
  const ofProject = query.filterTestAccounts ? testAccountFilters(context) : NO_FILTERS
  const filters = allOf(query.properties, ofProject)
  await checkPatterns(query, conversation)
  await checkPatterns(ofProject, conversation, ['test_account_filters'])
  return {
    clock,
    range: planDateRange(query.dateRange, interval, clock),
    filters,
    operators: { timezone: clock.timezone, now: clock.now },
    sampling: query.samplingFactor === 1 ? undefined : query.samplingFactor,
    groupIndex: query.aggregation_group_type_index,
    projectId: context.project.id,
    hasOverrides: context.hasOverrides,
    expressions: await openExpressions([query, filters], context, conversation),
    named: namedIn(context),
  }
}

export function testAccountFilters(context: Pick<InsightContext, 'project'>): PropertyGroup {
  return readProperties(context.project.test_account_filters, (message, path) => {
    throw new InvalidQuery(`The project's test-account filters: ${message}`, ['test_account_filters', ...path])
  })
}

async function clockOf(context: InsightContext, range: DateRangeInput, conversation: Conversation): Promise<Clock> {
  const { timezone, week_start_day: weekStart, id } = context.project
  const clock = { now: context.now, timezone, weekStart }
  if (range.date_from !== 'all') return clock
  const [row] = await conversation.ask<{ first: number; events: number }>(
    sql`SELECT toUnixTimestamp64Milli(min(timestamp)) AS first, count() AS events FROM events WHERE project_id = ${uint(id)}`,
  )
  return row === undefined || row.events === 0 ? clock : { ...clock, earliestEvent: Math.max(0, row.first) }
}

/** A fresh view of the events a plan is about. */
export const scopeOf = (
  { projectId, hasOverrides, expressions, named, clock, range: whole }: Plan,
  range: Pick<DateRange, 'from' | 'to'> = whole,
): EventScope => new EventScope({ projectId, hasOverrides, expressions, named, timezone: clock.timezone }, range)

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
