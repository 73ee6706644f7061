/** A statement of the persons who did what a behaviour says. */
import { and, type Fragment, join, moment, or, sql, Fragment as Text } from '../../engines/clickhouse-sql.ts'
import type { InsightContext } from '../facts/context.ts'
import { momentOf } from '../plan/moment-of.ts'
import { EventScope, type Named } from '../sql/event-scope.ts'
import { seriesConditions } from '../sql/series.ts'
import { whole } from '../sql/whole.ts'
import { type Behaviour, daysIn, type Span, type Times, type TimeUnit } from './behaviour.ts'
import { NO_DEFINITIONS } from './definitions.ts'
import { withActions } from './fill-actions.ts'

type Context = Pick<InsightContext, 'project' | 'now' | 'hasOverrides' | 'definitions'>

const BEGINNING = Date.UTC(1971, 0, 1)

export function whoDid(behaviour: Behaviour, context: Context, named: Named): Fragment {
  const { project, now, hasOverrides, definitions = NO_DEFINITIONS } = context
  const scope = new EventScope(
    { projectId: project.id, hasOverrides, timezone: project.timezone, channelRules: project.channel_rules, named },
    { from: BEGINNING, to: now },
  )
  const isOf = (node: Behaviour['node']) =>
    and(seriesConditions(scope, withActions(node, definitions), named.operators))
  const { where, having } = conditionsOf(behaviour, context, isOf)
  const person = scope.person()
  const conditions = and([scope.ofProject(), where])
  return sql`SELECT ${person} AS person FROM ${scope.from()} WHERE ${conditions} GROUP BY person HAVING ${having}`
}

const TIME = sql`e.timestamp`

function conditionsOf(
  { node, did, within }: Behaviour,
  context: Context,
  isOf: (node: Behaviour['node']) => Fragment,
): { where: Fragment; having: Fragment } {
  const [from, to] = bounds(within, context)
  const it = isOf(node)
  const inTime = sql`${TIME} >= ${from} AND ${TIME} <= ${to}`
  switch (did.how) {
    case 'ever':
      return { where: and([inTime, it]), having: isTimes(sql`count()`, did.times) }
    case 'first':
      return { where: and([sql`${TIME} <= ${to}`, it]), having: sql`min(${TIME}) >= ${from}` }
    case 'stopped': {
      const lately = sql`${TIME} > ${before(context, did.lately)}`
      return { where: and([inTime, it]), having: sql`countIf(${lately}) = 0` }
    }
    case 'restarted': {
      const lately = sql`${TIME} > ${before(context, did.lately)}`
      return {
        where: and([sql`${TIME} <= ${to}`, it]),
        having: sql`countIf(${lately}) > 0 AND countIf(${TIME} < ${from}) > 0
  AND countIf(${TIME} >= ${from} AND NOT (${lately})) = 0`,
      }
    }
    case 'regularly': {
      const starts = Array.from({ length: did.periods + 1 }, (_, periods) =>
        before(context, spanOf(within as Span, periods)),
      )
      const fits = starts.slice(1).map((start, index) => {
        const count = sql`countIf(${TIME} > ${start} AND ${TIME} <= ${starts[index] as Fragment})`
        return isTimes(count, did.times)
      })
      return {
        where: and([sql`${TIME} > ${starts.at(-1) as Fragment} AND ${TIME} <= ${moment(context.now)}`, it]),
        having: sql`arraySum([${join(fits, ', ')}]) >= ${whole(did.least)}`,
      }
    }
    case 'sequence': {
      const then = isOf(did.then)
      return { where: and([inTime, or([it, then])]), having: isFollowed(it, then, did.after) }
    }
  }
}

/**
 * Both kinds of moments in one sorted list, what was done afterwards first where two are the same: nothing comes after
 * itself. Then each looks back at the latest beginning before it. One at the start of time is before the first.
 */
function isFollowed(it: Fragment, then: Fragment, after: Span): Fragment {
  const at = sql`toUnixTimestamp64Micro(${TIME})`
  const sorted = sql`arraySort(arrayConcat([(toInt64(0), 1)],
  arrayMap(at -> (at, 1), groupArrayIf(${at}, ${it})), arrayMap(at -> (at, 0), groupArrayIf(${at}, ${then}))))`
  return sql`arrayExists((at, begun, kind) -> kind = 0 AND at > begun AND at - begun <= ${whole(microsOf(after))},
  (${sorted} AS moments).1, arrayFill((at, kind) -> kind = 1, moments.1, moments.2), moments.2)`
}

/** A month here is thirty days. */
const microsOf = (span: Span): number =>
  Math.round((span.unit === 'month' ? span.count * 30 : daysIn(span)) * 86_400) * 1_000_000

const isTimes = (count: Fragment, { is, count: wanted }: Times): Fragment =>
  sql`(${count} ${new Text([is], [])} ${whole(wanted)})`

const spanOf = ({ count, unit }: Span, periods: number): Span => ({ count: count * periods, unit })

const INTERVALS: Record<TimeUnit, string> = {
  minute: 'toIntervalMinute',
  hour: 'toIntervalHour',
  day: 'toIntervalDay',
  week: 'toIntervalWeek',
  month: 'toIntervalMonth',
  year: 'toIntervalYear',
}

const lengthOf = ({ count, unit }: Span): Fragment => sql`${new Text([INTERVALS[unit]], [])}(${whole(count)})`

const before = ({ now }: Pick<Context, 'now'>, span: Span): Fragment => sql`${moment(now)} - ${lengthOf(span)}`

function bounds(within: Behaviour['within'], context: Context): [from: Fragment, to: Fragment] {
  const now = moment(context.now)
  if ('unit' in within) return [before(context, within), now]
  const at = (text: string) => moment(momentOf(text, { now: context.now, timezone: context.project.timezone }))
  return [at(within.from), within.to === undefined ? now : at(within.to)]
}
