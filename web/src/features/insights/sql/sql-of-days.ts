import { quoted } from './quoted.ts'

/** Questions that count whole intervals, or look at what was before them, as SQL that names its days. */
export interface AnsweredDays {
  /** As the project's clock shows them: 2026-11-15 00:00:00. */
  from: string
  /** The last second that counts. */
  to: string
  /** 0: weeks begin on Sunday, 1: on Monday. */
  weekStart: number
}

const FUNCTIONS: Record<string, string> = {
  hour: 'toStartOfHour',
  day: 'toStartOfDay',
  week: 'toStartOfWeek',
  month: 'toStartOfMonth',
}
const ADDED: Record<string, string> = {
  hour: 'toIntervalHour(1)',
  day: 'toIntervalDay(1)',
  week: 'toIntervalWeek(1)',
  month: 'toIntervalMonth(1)',
}

const startOf = (interval: string, time: string, { weekStart }: AnsweredDays): string | undefined =>
  FUNCTIONS[interval] && `${FUNCTIONS[interval]}(${time}${interval === 'week' ? `, ${weekStart}` : ''})`

const since = ({ from }: AnsweredDays): string => `toDateTime(${quoted(from)})`
const until = ({ to }: AnsweredDays): string => `toDateTime(${quoted(to)}) + toIntervalSecond(1)`

/** Each once. groupUniqArray would forget the time zone. */
const distinct = (value: string, condition?: string): string =>
  condition ? `arrayDistinct(groupArrayIf(${value}, ${condition}))` : `arrayDistinct(groupArray(${value}))`

const joined = (parts: readonly string[], indent: string): string => parts.join(`\n${indent}AND `)

/** Who is new, returns, comes back or stays away, interval by interval. The one before the first counts too. */
export function lifecycleSql(
  { event, where, interval }: { event: string; where: readonly string[]; interval: string },
  days: AnsweredDays,
): string | undefined {
  const start = startOf(interval, 'timestamp', days)
  const born = startOf(interval, 'min(person.created_at)', days)
  const one = ADDED[interval]
  if (!start || !born || !one) return undefined
  const events = [`timestamp >= ${since(days)} - ${one}`, `timestamp < ${until(days)}`, event, ...where]
  return `SELECT state.1 AS ${interval}, state.2 AS status, count() AS people
FROM (
  SELECT
    person_id,
    ${distinct(start)} AS active,
    ${born} AS born,
    arrayJoin(arrayConcat(
      arrayMap(at -> tuple(at, multiIf(at = born, 'new', has(active, at - ${one}), 'returning', 'resurrecting')), active),
      arrayMap(at -> tuple(at + ${one}, 'dormant'), arrayFilter(at -> NOT has(active, at + ${one}), active))
    )) AS state
  FROM events
  WHERE ${joined(events, '    ')}
  GROUP BY person_id
)
WHERE state.1 >= ${since(days)} AND state.1 < ${until(days)}
GROUP BY 1, 2
ORDER BY 1, 2`
}

/** How many came in an interval, and in which of the later ones they came back: 0 is the interval itself. */
export function retentionSql(
  asked: { first: string; again: string; where: readonly string[]; isFirst: boolean; period: string },
  days: AnsweredDays,
): string | undefined {
  const { first, again, where, isFirst } = asked
  const interval = asked.period.toLowerCase()
  const start = startOf(interval, 'timestamp', days)
  const came = startOf(interval, `minIf(timestamp, ${first})`, days)
  if (!start || !came) return undefined
  // Whether it is somebody's first time is known from all that was before.
  const firsts = `SELECT person_id, ${came} AS came, ${distinct(start, again)} AS backs
    FROM events
    WHERE ${joined([`timestamp < ${until(days)}`, `(${first} OR ${again})`, ...where], '      ')}
    GROUP BY person_id
    HAVING countIf(${first}) > 0`
  const all = `SELECT person_id, arrayJoin(starts) AS came, backs
    FROM (
      SELECT person_id, ${distinct(start, first)} AS starts, ${distinct(start, again)} AS backs
      FROM events
      WHERE ${joined([`timestamp >= ${since(days)}`, `timestamp < ${until(days)}`, ...where], '        ')}
      GROUP BY person_id
    )`
  return `SELECT came AS ${interval}, dateDiff('${interval}', came, back) AS ${interval}s_later, count() AS people
FROM (
  SELECT person_id, came, arrayJoin(arrayConcat([came], arrayFilter(at -> at > came, backs))) AS back
  FROM (
    ${isFirst ? firsts : all}
  )
  WHERE came >= ${since(days)}
)
GROUP BY 1, 2
ORDER BY 1, 2`
}

const ITEM =
  "multiIf(event = '$pageview', replaceRegexpOne(ifNull(toString(properties.$current_url), ''), '(.)/$', '\\\\1'), event = '$screen', ifNull(toString(properties.$screen_name), ''), event)"

/** From which page, screen or event people go to which; half an hour without any begins a new way. */
export function pathsSql(
  asked: { where: readonly string[]; types: readonly string[]; start: string | undefined; steps: number },
  days: AnsweredDays,
): string {
  const { where, types, start, steps } = asked
  const names = types.filter((type) => type.startsWith('$')).map(quoted)
  const included = [
    ...(names.length > 0 ? [`event IN (${names.join(', ')})`] : []),
    ...(types.includes('custom_event') ? ["NOT startsWith(event, '$')"] : []),
  ].join(' OR ')
  const events = [
    `timestamp >= ${since(days)}`,
    `timestamp < ${until(days)}`,
    `(${included})`,
    `${ITEM} != ''`,
    ...where,
  ]
  const from = start && quoted(start.replace(/(.)\/$/, '$1'))
  const begun = from ? `if(has(stops, ${from}), arraySlice(stops, indexOf(stops, ${from})), [])` : 'stops'
  return `SELECT edge.1 AS source, edge.2 AS target, count() AS times
FROM (
  SELECT arrayJoin(arrayMap(
    (step, here, next) -> tuple(concat(toString(step), '_', here), concat(toString(step + 1), '_', next)),
    range(1, length(way)), arrayPopBack(way), arrayPopFront(way)
  )) AS edge
  FROM (
    SELECT arraySlice(${begun}, 1, ${steps}) AS way
    FROM (
      SELECT arrayFilter(
        (item, next, place) -> place = length(visited) OR item != next,
        visited, arrayPushBack(arrayPopFront(visited), ''), arrayEnumerate(visited)
      ) AS stops
      FROM (
        SELECT arrayMap(stop -> stop.2, arrayJoin(arraySplit(
          (stop, gap) -> gap >= 1800, items,
          arrayMap((stop, before) -> stop.1 - before.1, items, arrayPushFront(arrayPopBack(items), items[1]))
        ))) AS visited
        FROM (
          SELECT person_id, arraySort(groupArray(tuple(toUnixTimestamp64Micro(timestamp) / 1000000, ${ITEM}))) AS items
          FROM events
          WHERE ${joined(events, '            ')}
          GROUP BY person_id
        )
      )
    )
  )
)
GROUP BY 1, 2
ORDER BY 3 DESC, 1, 2
LIMIT 50`
}
