/** Events by the filters of a query: what to read them from, and the condition on them. */

import type { PropertyGroup } from '../../contract/queries/index.ts'
import { and, type Fragment, sql } from '../../engines/clickhouse-sql.ts'
import { DAY } from '../../lib/durations.ts'
import type { Instant } from '../../lib/zone.ts'
import { namedIn } from '../definitions/named.ts'
import { checkPatterns } from '../facts/check-patterns.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { StatementRunner } from '../run/statement-runner.ts'
import { EventScope } from '../sql/event-scope.ts'
import { conditionsOf } from '../sql/filter.ts'

interface EventSource {
  /** The events as `e`, joined with what the filters need. */
  readonly from: Fragment
  readonly where: Fragment
}

export async function eventsWith(
  context: InsightContext,
  properties: PropertyGroup,
  bounds: { readonly from?: Instant | undefined; readonly to?: Instant | undefined } = {},
  { signal }: RunOptions = {},
): Promise<EventSource> {
  const { timezone, id: projectId, channel_rules: channelRules } = context.project
  const { from = 0, to = context.now + DAY } = bounds
  const scope = new EventScope(
    { projectId, hasOverrides: context.hasOverrides, timezone, channelRules, named: namedIn(context) },
    { from, to },
  )
  await checkPatterns(properties, new StatementRunner(context.clickhouse, signal), ['properties'])
  const conditions = conditionsOf(scope, properties, { timezone, now: context.now })
  return { where: conditions.length === 0 ? sql`1` : and(conditions), from: scope.from() }
}
