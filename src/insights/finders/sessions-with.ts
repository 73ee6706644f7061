/** Sessions by what happened in them, for other folders that filter by events. */

import type { PropertyFilter, PropertyGroup } from '../../contract/queries/index.ts'
import { and, type Fragment, sql, str } from '../../engines/clickhouse-sql.ts'
import type { Instant } from '../../lib/zone.ts'
import { namedIn } from '../definitions/named.ts'
import { checkPatterns } from '../facts/check-patterns.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { StatementRunner } from '../run/statement-runner.ts'
import { EventScope } from '../sql/event-scope.ts'
import { conditionsOf } from '../sql/filter.ts'
import { type OperatorContext, satisfies } from '../sql/operators.ts'
import { anyOf } from '../sql/series.ts'
import { within } from '../sql/time.ts'

export interface EventCriterion {
  /** Any event when there is no name. */
  readonly event?: string | undefined
  /** The id of an action that the event must be of. */
  readonly action?: string | undefined
  readonly properties: PropertyGroup
}

interface Bounds {
  readonly from: Instant
  readonly to: Instant
}

export interface SessionFinder {
  /** A statement of the ids of sessions that have an event like this. */
  sessionsWith(criterion: EventCriterion, bounds: Bounds): Fragment
  /** A statement of `uuid` and `timestamp` of the events like this in one session. */
  eventsWith(criterion: EventCriterion, bounds: Bounds, sessionId: string): Fragment
  /** Whether a value, Nullable(String), satisfies a filter. */
  satisfies(value: Fragment, filter: PropertyFilter): Fragment
}

/** `groups` are all filters it will be asked about: their regular expressions are checked beforehand. */
export async function sessionFinder(
  context: InsightContext,
  groups: readonly PropertyGroup[],
  options: RunOptions = {},
): Promise<SessionFinder> {
  const { timezone, id: projectId, channel_rules: channelRules } = context.project
  const named = namedIn(context)
  const operators: OperatorContext = { timezone, now: context.now }
  for (const group of groups) await checkPatterns(group, new StatementRunner(context.clickhouse, options.signal), null)
  const select = (
    columns: Fragment,
    { event, action, properties }: EventCriterion,
    bounds: Bounds,
    session: Fragment,
  ) => {
    const scope = new EventScope(
      { projectId, hasOverrides: context.hasOverrides, timezone, channelRules, named },
      bounds,
    )
    const conditions = and([
      scope.ofProject(),
      session,
      within(bounds.from, bounds.to),
      ...(event === undefined ? [] : [sql`e.event = ${str(event)}`]),
      ...(action === undefined ? [] : [anyOf(scope, named.action(action, ['actions']), named.operators)]),
      ...conditionsOf(scope, properties, operators),
    ])
    return sql`SELECT ${columns} FROM ${scope.from()} WHERE ${conditions}`
  }
  return {
    sessionsWith: (criterion, bounds) => select(sql`e.session_id`, criterion, bounds, sql`e.session_id != ''`),
    eventsWith: (criterion, bounds, sessionId) =>
      select(sql`e.uuid AS uuid, e.timestamp AS timestamp`, criterion, bounds, sql`e.session_id = ${str(sessionId)}`),
    satisfies: (value, filter) => satisfies(value, filter, operators),
  }
}
