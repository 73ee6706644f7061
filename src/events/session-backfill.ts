/** The rows of `sessions` that stored events make: the same as `session-rows.ts` makes of events that arrive. */
import { and, type Fragment, ident, int, join, Param, propertyOf, sql, str, uint } from '../engines/clickhouse/index.ts'
import { CLIENT, COUNTED, ENTRY, EXIT, LONGEST_TEXT, NEVER_FIRST, NEVER_LAST } from './session-rows.ts'

export interface SessionPlace {
  readonly day: string
  readonly projectId: number
  readonly sessionId: string
}

/** The earliest day from `from` on that has events which are in no session yet, or null. */
export const nextDayToFill = (from: string | null): Fragment => sql`
  SELECT toString(min(toDate32(timestamp))) AS day, count() AS events FROM events
  WHERE ${and([missing, ...(from === null ? [] : [sql`timestamp >= ${new Param('String', from)}::Date32`])])}`

const missing = sql`in_sessions = 0 AND session_id != ''`

/** Rows of one day, in the order of project and session, after a place of that day. */
export function rowsToFill(day: string, after: SessionPlace | null, limit: number): Fragment {
  const conditions = [
    sql`toDate32(timestamp) = ${new Param('String', day)}::Date32`,
    // Partitions are months of the timestamp.
    sql`timestamp >= ${new Param('String', day)}::Date32 AND timestamp < ${new Param('String', day)}::Date32 + 1`,
    missing,
    ...(after === null ? [] : [sql`(project_id, session_id) > (${uint(after.projectId)}, ${str(after.sessionId)})`]),
  ]
  const columns = Object.entries(COUNTED).map(
    ([column, event]) => sql`countIf(event = ${str(event)}) AS ${ident(column)}`,
  )
  return sql`SELECT project_id, ${new Param('String', day)} AS day, session_id,
  toString(min(timestamp)) AS first_at, toString(max(timestamp)) AS last_at, groupUniqArray(100)(person_id) AS persons,
  ${named(sql`min((at, distinct_id))`, [['value', 'String']])} AS distinct_id,
  count() AS events, ${join(columns, ', ')},
  groupUniqArrayIf(1000)(url, url != '') AS urls,
  ${named(firstOf(ENTRY, sql`url != '' OR ${text('$screen_name')} != ''`), textsIn(ENTRY))} AS entry,
  ${named(sql`max(if(url != '', (at, ${all(EXIT)}), ${never(NEVER_LAST, EXIT)}))`, textsIn(EXIT))} AS exit,
  ${named(firstClient, clientTexts)} AS client,
  ${named(sql`max(if(clicked != '', (at, clicked), (toInt64(${int(NEVER_LAST)}), '')))`, [['url', 'String']])} AS external_click,
  ${named(sql`min(if(isNotNull(lcp_value), (at, assumeNotNull(lcp_value)), (toInt64(${int(NEVER_FIRST)}), 0)))`, [['value', 'Float64']])} AS lcp,
  max(bot) AS is_bot, max(if(bot, ${text('$bot_reason')}, '')) AS bot_reason
FROM (
  SELECT *, toUnixTimestamp64Micro(timestamp) AS at, ${text('$current_url')} AS url, ${text('$external_click_url')} AS clicked,
    toFloat64OrNull(${text('$web_vitals_LCP_value')}) AS lcp_value, toUInt8(${text('$is_bot')} = 'true') AS bot
  FROM events WHERE ${and(conditions)}
)
GROUP BY project_id, session_id
ORDER BY project_id, session_id
LIMIT ${uint(limit)}`
}

const text = (key: string): Fragment =>
  sql`substringUTF8(ifNull(${propertyOf(sql`props`, key)}, ''), 1, ${uint(LONGEST_TEXT)})`

type Names = Readonly<Record<string, string>>
const all = (names: Names): Fragment => join(Object.values(names).map(text), ', ')
const never = (at: number, names: Names): Fragment =>
  sql`(toInt64(${int(at)}), ${join(
    Object.values(names).map(() => sql`''`),
    ', ',
  )})`
const firstOf = (names: Names, when: Fragment): Fragment =>
  sql`min(if(${when}, (at, ${all(names)}), ${never(NEVER_FIRST, names)}))`

const viewport = sql`if(${text('$viewport_width')} != '' AND ${text('$viewport_height')} != '', concat(${text('$viewport_width')}, 'x', ${text('$viewport_height')}), '')`
const { browser, os, device_type, ...otherClient } = CLIENT
const device = { browser, os, device_type }
const saysClient = join(
  [browser, os, device_type, CLIENT.country].map((key) => sql`${text(key)} != ''`),
  ' OR ',
)
const firstClient = sql`min(if(${saysClient}, (at, ${all(device)}, ${viewport}, ${all(otherClient)}),
    ${never(NEVER_FIRST, { ...device, viewport: '', ...otherClient })}))`
const textsIn = (names: Names): [string, string][] => Object.keys(names).map((each) => [each, 'String'])
const clientTexts: [string, string][] = [...textsIn(device), ['viewport', 'String'], ...textsIn(otherClient)]

const named = (tuple: Fragment, elements: readonly (readonly [string, string])[]): Fragment => {
  const types = ['at Int64', ...elements.map(([each, type]) => `${each} ${type}`)].join(', ')
  return sql`CAST(${tuple}, ${new Param('String', `Tuple(${types})`)})`
}
