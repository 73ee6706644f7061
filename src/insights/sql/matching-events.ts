/** Property filters for whoever lists events itself: a condition on the uuid of an event. */
import { and, type Fragment, moment, sql } from '../../engines/clickhouse/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { InsightContext } from '../context.ts'
import { Conversation } from '../engine.ts'
import { readProperties } from '../parse/property-filters.ts'
import { invalidRegexes } from '../plan/regexes.ts'
import { EventScope } from './event-scope.ts'
import { conditionsOf } from './filter.ts'

const EVER = { from: Date.UTC(1971, 0, 1), to: Date.UTC(2200, 0, 1) }

/** Null when nothing is filtered. `within` narrows what has to be read. */
export async function matchingEvents(
  context: InsightContext,
  properties: unknown,
  within: { readonly after?: number | undefined; readonly before?: number | undefined } = {},
): Promise<Fragment | null> {
  const group = readProperties(properties, (message, path) => {
    throw new ApiError('invalid_input', message, { attr: ['properties', ...path].join('__') })
  })
  if (group.values.length === 0) return null
  const { project, hasOverrides, now } = context
  const { timezone } = project
  const scope = new EventScope({ projectId: project.id, hasOverrides, timezone }, EVER)
  const conditions = conditionsOf(scope, group, {
    timezone,
    now,
    invalidRegexes: await invalidRegexes([group], new Conversation(context.clickhouse, undefined)),
  })
  if (within.after !== undefined) conditions.push(sql`e.timestamp > ${moment(within.after)}`)
  if (within.before !== undefined) conditions.push(sql`e.timestamp < ${moment(within.before)}`)
  return sql`events.uuid IN (SELECT e.uuid FROM ${scope.from()} WHERE ${and([scope.ofProject(), ...conditions])})`
}
