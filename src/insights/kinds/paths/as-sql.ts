/** Paths as SQL that people read: from which page, screen or event people go to which. */

import { actorOf, hasActor, planConditions } from '../../as-sql/conditions.ts'
import { columns, from, notInSql, quoted, where } from '../../as-sql/text.ts'
import { within } from '../../as-sql/time.ts'
import type { PathsPlan } from './plan.ts'
import type { PathsResult } from './run.ts'

const URL = "replaceRegexpOne(ifNull(toString(properties.$current_url), ''), '(.)/$', '\\\\1')"
const SCREEN = "ifNull(toString(properties.$screen_name), '')"

export function pathsSql({ plan }: PathsResult): string {
  if (plan.stretch !== undefined) notInSql('It is about what was done around a step of a funnel.')
  const { minEdgeWeight, maxEdgeWeight } = plan.filter
  const heavy = [
    ...(minEdgeWeight === undefined ? [] : [`count() >= ${minEdgeWeight}`]),
    ...(maxEdgeWeight === undefined ? [] : [`count() <= ${maxEdgeWeight}`]),
  ].join(' AND ')
  return `SELECT edge.1 AS source, edge.2 AS target, count() AS times
${from(`SELECT arrayJoin(arrayMap(
  (step, here, next) -> tuple(concat(toString(step), '_', here), concat(toString(step + 1), '_', next)),
  range(1, length(way)), arrayPopBack(way), arrayPopFront(way)
)) AS edge
${from(waysOf(plan))}`)}
GROUP BY 1, 2${heavy === '' ? '' : `\nHAVING ${heavy}`}
ORDER BY 3 DESC, 1, 2
LIMIT ${plan.edgeLimit}`
}

/** One row a way: its items. The same one several times in a row is one stop; half an hour without any begins a new way. */
function waysOf(plan: PathsPlan): string {
  const stops = `SELECT arrayFilter(
  (item, next, place) -> place = length(visited) OR item != next,
  visited, arrayPushBack(arrayPopFront(visited), ''), arrayEnumerate(visited)
) AS stops
${from(`SELECT arrayMap(stop -> stop.2, arrayJoin(arraySplit(
  (stop, gap) -> gap >= 1800, items,
  arrayMap((stop, before) -> stop.1 - before.1, items, arrayPushFront(arrayPopBack(items), items[1]))
))) AS visited
${from(itemsOf(plan))}`)}`
  const { startPoint, endPoint } = plan.filter
  const begun =
    startPoint === undefined
      ? stops
      : cut(stops, `has(stops, ${quoted(startPoint)})`, `arraySlice(stops, indexOf(stops, ${quoted(startPoint)}))`)
  if (endPoint === undefined) return `SELECT arraySlice(stops, 1, ${plan.stepLimit}) AS way\n${from(begun)}`
  const ended = cut(
    begun,
    `has(stops, ${quoted(endPoint)})`,
    `arraySlice(stops, 1, indexOf(stops, ${quoted(endPoint)}))`,
  )
  if (startPoint === undefined)
    return `SELECT arraySlice(stops, -least(${plan.stepLimit}, length(stops))) AS way\n${from(ended)}`
  const half = Math.max(1, Math.floor(plan.stepLimit / 2))
  const middle = `arrayConcat(arraySlice(stops, 1, ${half}), ['...'], arraySlice(stops, -${half}))`
  return `SELECT if(length(stops) <= ${plan.stepLimit}, stops, ${middle}) AS way\n${from(ended)}`
}

const cut = (query: string, condition: string, part: string): string =>
  `SELECT ${part} AS stops\n${from(query)}\nWHERE ${condition}`

/** One row a person: when and where, in order. */
function itemsOf(plan: PathsPlan): string {
  const who = actorOf(plan.groupIndex)
  const item = plan.replacements.reduce(
    (text, { pattern, by, whole }) =>
      whole
        ? `if(${text} =~ ${quoted(pattern)}, ${quoted(by)}, ${text})`
        : `replaceRegexpAll(${text}, ${quoted(pattern)}, ${quoted(by)})`,
    itemOf(plan),
  )
  const excluded = plan.filter.excludeEvents ?? []
  const visits = `SELECT${columns([`${who} AS who`, 'toUnixTimestamp64Micro(timestamp) / 1000000 AS at', `${item} AS item`])}
FROM events${where([
    ...within(plan.range, plan.clock),
    ...eventTypes(plan),
    ...planConditions(plan),
    ...hasActor(plan.groupIndex),
  ])}`
  const shown = ["item != ''", ...(excluded.length === 0 ? [] : [`item NOT IN (${excluded.map(quoted).join(', ')})`])]
  return `SELECT who, arraySort(groupArray(tuple(at, item))) AS items\n${from(visits)}${where(shown)}\nGROUP BY who`
}

function eventTypes({ filter }: PathsPlan): string[] {
  const types = (filter.includeEventTypes ?? []).filter((type) => type !== 'hogql')
  if (types.length === 0) return []
  const names = types.filter((type) => type.startsWith('$')).map((type) => `event = ${quoted(type)}`)
  return [`(${[...names, ...(types.includes('custom_event') ? ["NOT startsWith(event, '$')"] : [])].join(' OR ')})`]
}

function itemOf({ filter, expression }: PathsPlan): string {
  if (expression === undefined) return `multiIf(event = '$pageview', ${URL}, event = '$screen', ${SCREEN}, event)`
  const said = `ifNull(toString(${expression}), '')`
  const types = filter.includeEventTypes ?? []
  const screens = types.includes('$screen') ? `if(event = '$screen', ${SCREEN}, ${said})` : said
  return types.includes('$pageview') ? `if(event = '$pageview', ${URL}, ${screens})` : screens
}
