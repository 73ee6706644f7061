/** The ways of actors from one item to the next, in SQL. */
import { and, type Fragment, propertyOf, sql, str, strings, uint } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { conditionsOf } from '../../sql/filter.ts'
import { sampled } from '../../sql/sampling.ts'
import { within } from '../../sql/time.ts'
import { whole } from '../../sql/whole.ts'
import { windowEnd } from '../funnels/index.ts'
import { stretches } from './around-funnel.ts'
import type { PathsPlan } from './plan.ts'

const SESSION_GAP_MICROSECONDS = 30 * 60 * 1_000_000

/**
 * After so long without anything, what comes is a new way: half an hour, or as long as a try of the funnel may take.
 */
const isNewWay = ({ stretch }: PathsPlan, time: Fragment, before: Fragment): Fragment =>
  stretch === undefined
    ? sql`${time} - ${before} >= ${whole(SESSION_GAP_MICROSECONDS)}`
    : sql`${time} >= ${windowEnd(stretch.funnel, before)}`

export interface PathRow {
  readonly source: string
  readonly target: string
  readonly value: number
  readonly average: number
}

export function pathsStatement(plan: PathsPlan): Fragment {
  const { minEdgeWeight, maxEdgeWeight } = plan.filter
  const heavy = and([
    ...(minEdgeWeight === undefined ? [] : [sql`value >= ${whole(minEdgeWeight)}`]),
    ...(maxEdgeWeight === undefined ? [] : [sql`value <= ${whole(maxEdgeWeight)}`]),
  ])
  return sql`SELECT edge.1 AS source, edge.2 AS target, count() AS value, avg(edge.3) / 1000 AS average
FROM (SELECT arrayJoin(${EDGES}) AS edge FROM (${waysStatement(plan)}))
GROUP BY source, target
HAVING ${heavy}
ORDER BY value DESC, source, target
LIMIT ${uint(plan.edgeLimit)}`
}

/** From each item of a way to the next: ("1_/a", "2_/b", µs). */
const EDGES = sql`arrayMap((step, before, after) -> (concat(toString(step), '_', before.2), concat(toString(step + 1), '_', after.2), after.1 - before.1),
  range(1, length(way)), arrayPopBack(way), arrayPopFront(way))`

/** One row a way: actor, and way, its items as (µs, text). */
function waysStatement(plan: PathsPlan): Fragment {
  return sql`SELECT actor, ${limited(plan)} AS way
FROM (
  SELECT actor, arrayJoin(arraySplit((item, starts) -> starts, items,
    arrayMap((item, before) -> ${isNewWay(plan, sql`item.1`, sql`before.1`)}, items, arrayPopBack(arrayPushFront(items, items[1]))))) AS visited,
    ${withoutRepeats(sql`visited`)} AS stops
  FROM (${itemsStatement(plan)})
)
WHERE notEmpty(way)`
}

/** The same item several times in a row is one stop, the last of them. */
const withoutRepeats = (items: Fragment): Fragment =>
  sql`arrayFilter((item, after, place) -> place = length(${items}) OR item.2 != after.2, ${items}, arrayPushBack(arrayPopFront(${items}), ${items}[1]), arrayEnumerate(${items}))`

/** From the start point, up to the end point, and no longer than asked for. */
function limited(plan: PathsPlan): Fragment {
  const { startPoint, endPoint } = plan.filter
  const limit = whole(plan.stepLimit)
  const placeOf = (point: string, of: Fragment) => sql`indexOf(arrayMap(item -> item.2, ${of}), ${str(point)})`
  const begun =
    startPoint === undefined
      ? sql`stops`
      : sql`if(${placeOf(startPoint, sql`stops`)} = 0, [], arraySlice(stops, ${placeOf(startPoint, sql`stops`)}))`
  if (endPoint === undefined) return sql`arraySlice(${begun}, 1, ${limit})`
  const ended = sql`arraySlice(${begun}, 1, ${placeOf(endPoint, begun)})`
  if (startPoint === undefined) return sql`arraySlice(${ended}, -least(${limit}, length(${ended})))`
  const half = whole(Math.max(1, Math.floor(plan.stepLimit / 2)))
  const between = sql`tuple(${ended}[${half}].1, '...')`
  return sql`if(length(${ended}) <= ${limit}, ${ended}, arrayConcat(arraySlice(${ended}, 1, ${half}), [${between}], arraySlice(${ended}, -${half})))`
}

/** One row an actor: actor, and items in order. */
function itemsStatement(plan: PathsPlan): Fragment {
  const scope = scopeOf(plan)
  const item = plan.replacements.reduce(
    (text, { pattern, by, whole: all }) =>
      all
        ? sql`if(match(${text}, ${str(pattern)}), ${str(by)}, ${text})`
        : sql`replaceRegexpAll(${text}, ${str(pattern)}, ${str(by)})`,
    itemOf(plan, scope),
  )
  const excluded = plan.filter.excludeEvents ?? []
  const actor = scope.actor(plan.groupIndex)
  const { from, where } = pathEvents(plan, scope, [])
  return sql`SELECT actor, arraySort(groupArray((at, item))) AS items
FROM (
  SELECT ${actor} AS actor, ${MICROSECONDS} AS at, ${item} AS item
  FROM ${from}
  WHERE ${where}
)
WHERE ${excluded.length === 0 ? sql`item != ''` : sql`item != '' AND item NOT IN (${strings(excluded)})`}
GROUP BY actor`
}

const MICROSECONDS = sql`toInt64(toUnixTimestamp64Micro(e.timestamp))`

/** The events that are on ways at all. To be called when all other expressions over the scope are made. */
export function pathEvents(
  plan: PathsPlan,
  scope: EventScope,
  more: readonly Fragment[],
): { readonly from: Fragment; readonly where: Fragment } {
  const actor = scope.actor(plan.groupIndex)
  const conditions = [...pathConditions(plan, scope), ...more]
  const { stretch } = plan
  if (stretch === undefined) return { from: scope.from(), where: and(conditions) }
  return {
    from: sql`${scope.from()}
INNER JOIN (${stretches(stretch)}) AS stretch ON stretch.actor = ${actor}`,
    where: and([...conditions, sql`${MICROSECONDS} >= stretch.since AND ${MICROSECONDS} <= stretch.until`]),
  }
}

function pathConditions(plan: PathsPlan, scope: EventScope): Fragment[] {
  return [
    scope.ofProject(),
    within(plan.range.from, plan.range.to),
    ...conditionsOf(scope, plan.filters, plan.operators),
    ...eventTypes(plan),
    ...scope.hasActor(plan.groupIndex),
    ...sampled(scope, plan.sampling),
  ]
}

function eventTypes({ filter }: PathsPlan): Fragment[] {
  // An expression says something of every event; beside it the other types say which events are meant.
  const types = (filter.includeEventTypes ?? []).filter((type) => type !== 'hogql')
  if (types.length === 0) return []
  const names = types.filter((type) => type.startsWith('$'))
  const custom = types.includes('custom_event') ? sql`NOT startsWith(e.event, '$')` : sql`0`
  return [sql`e.event IN (${strings(names)}) OR ${custom}`]
}

/** The page, the screen, what the expression says, or what the event is called. */
function itemOf({ filter, expression }: PathsPlan, scope: EventScope): Fragment {
  const url = sql`replaceRegexpOne(ifNull(${scope.property({ type: 'event', key: '$current_url' })}, ''), '(.)/$', '\\\\1')`
  const screen = sql`ifNull(${propertyOf(sql`e.props`, '$screen_name')}, '')`
  const name = sql`CAST(e.event, 'String')`
  if (expression === undefined)
    return sql`multiIf(e.event = '$pageview', ${url}, e.event = '$screen', ${screen}, ${name})`
  const said = sql`ifNull(toString(${scope.expression(expression, ['pathsFilter', 'pathsHogQLExpression'])}), '')`
  const types = filter.includeEventTypes ?? []
  const screens = types.includes('$screen') ? sql`if(e.event = '$screen', ${screen}, ${said})` : said
  return types.includes('$pageview') ? sql`if(e.event = '$pageview', ${url}, ${screens})` : screens
}

/** Whose way had an edge, or ended at an item: `key` texts are those of the answer, such as "2_/b". */
export function actorsOfPath(plan: PathsPlan): Fragment {
  const { pathStartKey, pathEndKey, pathDropoffKey } = plan.filter
  const isEdge = [
    ...(pathStartKey === undefined ? [] : [sql`edge.1 = ${str(pathStartKey)}`]),
    ...(pathEndKey === undefined ? [] : [sql`edge.2 = ${str(pathEndKey)}`]),
  ]
  const onWay = and([
    ...(isEdge.length === 0 ? [] : [sql`arrayExists(edge -> ${and(isEdge)}, ${EDGES})`]),
    ...(pathDropoffKey === undefined
      ? []
      : [sql`concat(toString(length(way)), '_', way[length(way)].2) = ${str(pathDropoffKey)}`]),
  ])
  return sql`SELECT actor FROM (${waysStatement(plan)}) WHERE ${onWay}`
}
