/** What an event can be joined with: merged persons, its group's current properties, its session. */
import type { ChannelRule } from '../../contract/resources/channel-rule.ts'
import { type Fragment, ident, moment, propertyOf, sql, uint } from '../../engines/clickhouse-sql.ts'
import { DAY } from '../../lib/durations.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { SESSION_COLUMNS, type SessionColumn, sessionColumn } from './session-columns.ts'

export const overridesJoin = (projectId: number): Fragment => sql`LEFT ANY JOIN (
  SELECT old_person_id, argMax(person_id, version) AS person_id
  FROM person_overrides
  WHERE project_id = ${uint(projectId)}
  GROUP BY old_person_id
  HAVING argMax(is_deleted, version) = 0
) AS overrides ON e.person_id = overrides.old_person_id`

export const groupJoin = (projectId: number, index: number, key: string, alias: string): Fragment => sql`LEFT ANY JOIN (
  SELECT group_key, argMax(${propertyOf(sql`props`, key)}, version) AS value
  FROM groups
  WHERE project_id = ${uint(projectId)} AND group_type_index = ${uint(index)}
  GROUP BY group_key
) AS ${ident(alias)} ON e.${ident(`group_${index}`)} = ${ident(alias)}.group_key`

/** A moment as text that says its zone, so that it reads the same in every project. */
export const timeText = (time: Fragment): Fragment =>
  sql`toNullable(concat(replaceOne(toString(${time}), ' ', 'T'), 'Z'))`

/** A session may have begun the day before the range and ended the day after. */
export function sessionJoin(
  {
    projectId,
    channelRules = [],
  }: { readonly projectId: number; readonly channelRules?: readonly ChannelRule[] | undefined },
  key: string,
  alias: string,
  bounds: { readonly from: number; readonly to: number },
): Fragment {
  const column = sessionColumn(key, channelRules)
  if (column === undefined) {
    const known = SESSION_COLUMNS.join(', ')
    throw new InvalidQuery(`Unknown session property "${key}". Known are ${known}.`, ['properties'])
  }
  return sql`LEFT ANY JOIN (
  SELECT s.session_id AS session_id, toNullable(${sessionText(column)}) AS value
  FROM sessions AS s
  WHERE s.project_id = ${uint(projectId)}
    AND s.day >= toDate32(${moment(bounds.from - DAY)}) AND s.day <= toDate32(${moment(bounds.to + DAY)})
  GROUP BY s.session_id
) AS ${ident(alias)} ON e.session_id = ${ident(alias)}.session_id`
}

/** A column of sessions as text, which may be NULL: what filters compare. */
export function sessionText({ value, type }: SessionColumn): Fragment {
  switch (type) {
    case 'text':
      return sql`nullIf(${value}, '')`
    case 'time':
      return timeText(value)
    case 'boolean':
      return sql`multiIf(isNull(${value}), NULL, ${value}, 'true', 'false')`
    case 'list':
      return sql`toJSONString(${value})`
    case 'number':
      return sql`toString(${value})`
  }
}
