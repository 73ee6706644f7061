/** What an event can be joined with: merged persons, its group's current properties, its session. */
import { type Fragment, ident, moment, propertyOf, sql, uint } from '../../engines/clickhouse-sql.ts'
import { DAY } from '../../lib/durations.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'

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

const SESSION_VALUES: Record<string, () => Fragment> = {
  $session_duration: () => sql`toString(dateDiff('second', min(timestamp), max(timestamp)))`,
  $start_timestamp: () => timeText(sql`min(timestamp)`),
  $end_timestamp: () => timeText(sql`max(timestamp)`),
  $entry_current_url: () => firstOf('$current_url'),
  $entry_pathname: () => firstOf('$pathname'),
  $entry_referring_domain: () => firstOf('$referring_domain'),
  $entry_utm_source: () => firstOf('utm_source'),
  $entry_utm_medium: () => firstOf('utm_medium'),
  $entry_utm_campaign: () => firstOf('utm_campaign'),
  $entry_utm_term: () => firstOf('utm_term'),
  $entry_utm_content: () => firstOf('utm_content'),
  $end_current_url: () => lastOf('$current_url'),
  $exit_current_url: () => lastOf('$current_url'),
  $end_pathname: () => lastOf('$pathname'),
  $exit_pathname: () => lastOf('$pathname'),
  $pageview_count: () => sql`toString(countIf(event = '$pageview'))`,
  $autocapture_count: () => sql`toString(countIf(event = '$autocapture'))`,
  $screen_count: () => sql`toString(countIf(event = '$screen'))`,
}

const firstOf = (key: string): Fragment => sql`argMin(${propertyOf(sql`props`, key)}, timestamp)`
const lastOf = (key: string): Fragment => sql`argMax(${propertyOf(sql`props`, key)}, timestamp)`

/** A session may have begun the day before the range and ended the day after. */
export function sessionJoin(
  projectId: number,
  key: string,
  alias: string,
  bounds: { readonly from: number; readonly to: number },
): Fragment {
  const value = Object.hasOwn(SESSION_VALUES, key) ? SESSION_VALUES[key]?.() : undefined
  if (value === undefined) {
    const known = Object.keys(SESSION_VALUES).join(', ')
    throw new InvalidQuery(`Unknown session property "${key}". Known are ${known}.`, ['properties'])
  }
  return sql`LEFT ANY JOIN (
  SELECT session_id, toNullable(${value}) AS value
  FROM events
  WHERE project_id = ${uint(projectId)} AND session_id != ''
    AND timestamp >= ${moment(bounds.from - DAY)} AND timestamp < ${moment(bounds.to + DAY)}
  GROUP BY session_id
) AS ${ident(alias)} ON e.session_id = ${ident(alias)}.session_id`
}
