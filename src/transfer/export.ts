import { and, type ClickHouse, sql as ch, type Fragment, moment, str, uint } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { stringifyJson } from '../lib/json.ts'
import { isoTimestamp } from '../lib/timestamps.ts'
import { EXPORT_VERSION } from './lines.ts'

/**
 * The events of a project as lines of JSON, oldest first, with persons and groups before and after them (lines.ts). The
 * same data give the same lines. Only one day at a time is sorted, by the engine, which spills to disk: memory does not
 * grow with the project.
 */
interface ExportOptions {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly project: number
  /** ms since epoch; `from` inclusive, `to` exclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly event?: string | undefined
  readonly now: Date
  readonly onEvents?: (done: number, of: number) => void
}

const PAGE = 1_000
/** The reader of the lines sets the pace. */
const UNHURRIED = { maxSeconds: 0 }

export async function* exportLines(options: ExportOptions): AsyncGenerator<string> {
  const { project, from, to, event, now } = options
  yield line('footfall_export', {
    version: EXPORT_VERSION,
    project,
    exported_at: now.toISOString(),
    ...(from === undefined ? {} : { from: isoTimestamp(from) }),
    ...(to === undefined ? {} : { to: isoTimestamp(to) }),
    ...(event === undefined ? {} : { event }),
  })
  // A part of the events is exported without persons and groups.
  const whole = from === undefined && to === undefined && event === undefined
  if (whole) yield* groupTypes(options)
  if (whole) yield* persons(options)
  yield* events(options)
  if (whole) yield* groups(options)
  if (whole) yield* personProperties(options)
}

const line = (kind: string, content: unknown): string => `{"${kind}":${stringifyJson(content)}}\n`

interface StoredEvent {
  readonly event: string
  readonly distinct_id: string
  readonly at: string
  readonly id: string
  readonly properties: string
  readonly elements_chain: string
}

async function* events({ clickhouse, onEvents, ...options }: ExportOptions): AsyncGenerator<string> {
  const chosen = conditions(options)
  const { rows: days } = await clickhouse.query<{ day: string; n: number }>(
    ch`SELECT toString(toDate(timestamp)) AS day, count() AS n FROM events WHERE ${chosen} GROUP BY day ORDER BY day`,
    UNHURRIED,
  )
  const total = days.reduce((sum, { n }) => sum + n, 0)
  let done = 0
  for (const { day } of days) {
    const ofDay = ch`
      SELECT event, distinct_id, formatDateTime(timestamp, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC') AS at, toString(uuid) AS id, properties, elements_chain
      FROM events WHERE ${chosen} AND toDate(timestamp) = toDate(${str(day)}) ORDER BY timestamp, id`
    let page = ''
    for await (const stored of clickhouse.stream<StoredEvent>(ofDay, UNHURRIED)) {
      page += eventLine(stored)
      done += 1
      if (page.length < 256 * 1024) continue
      yield page
      page = ''
      onEvents?.(done, total)
    }
    if (page !== '') yield page
    onEvents?.(done, total)
  }
}

/** Events that arrive after the export began are left out; otherwise it might never end. */
function conditions({ project, from, to, event, now }: Omit<ExportOptions, 'clickhouse'>): Fragment {
  return and([
    ch`project_id = ${uint(project)}`,
    ch`received_at <= ${moment(now.getTime())}`,
    ...(event === undefined ? [] : [ch`event = ${str(event)}`]),
    ...(from === undefined ? [] : [ch`timestamp >= ${moment(from)}`]),
    ...(to === undefined ? [] : [ch`timestamp < ${moment(to)}`]),
  ])
}

/** Properties keep their exact text. The elements chain becomes a property again. */
function eventLine({ event, distinct_id, at, id, properties, elements_chain }: StoredEvent): string {
  const all =
    elements_chain === ''
      ? properties
      : `${properties.slice(0, -1)}${properties === '{}' ? '' : ','}"$elements_chain":${JSON.stringify(elements_chain)}}`
  return `{"event":${JSON.stringify(event)},"distinct_id":${JSON.stringify(distinct_id)},"timestamp":"${at}","uuid":"${id}","properties":${all}}\n`
}

async function* groupTypes({ sql, project }: ExportOptions): AsyncGenerator<string> {
  const types = await sql`
    SELECT group_type, group_type_index, name_singular, name_plural FROM group_types WHERE project_id = ${project}
    ORDER BY group_type_index`
  for (const type of types) yield line('group_type', type)
}

async function* persons({ sql, project }: ExportOptions): AsyncGenerator<string> {
  const pages = sql`
    SELECT p.uuid, array_agg(d.distinct_id ORDER BY d.position, d.distinct_id) AS distinct_ids,
           coalesce(array_agg(d.distinct_id) FILTER (WHERE d.position < 0), '{}') AS main_distinct_ids,
           p.created_at, p.is_identified
    FROM persons p JOIN person_distinct_ids d ON d.person_id = p.id
    WHERE p.project_id = ${project} GROUP BY p.id ORDER BY p.id`.cursor(PAGE)
  for await (const page of pages) yield page.map((person) => line('person', person)).join('')
}

async function* personProperties({ sql, project }: ExportOptions): AsyncGenerator<string> {
  const pages = sql`
    SELECT (SELECT distinct_id FROM person_distinct_ids WHERE person_id = p.id ORDER BY position, distinct_id LIMIT 1) AS distinct_id,
           p.last_seen_at, p.properties
    FROM persons p WHERE p.project_id = ${project} AND EXISTS (SELECT 1 FROM person_distinct_ids WHERE person_id = p.id)
    ORDER BY p.id`.cursor(PAGE)
  for await (const page of pages) yield page.map((person) => line('person_properties', person)).join('')
}

async function* groups({ sql, project }: ExportOptions): AsyncGenerator<string> {
  const pages = sql`
    SELECT t.group_type, g.group_key, g.created_at, g.properties
    FROM groups g JOIN group_types t ON t.project_id = g.project_id AND t.group_type_index = g.group_type_index
    WHERE g.project_id = ${project} ORDER BY t.group_type_index, g.group_key`.cursor(PAGE)
  for await (const page of pages) yield page.map((group) => line('group', group)).join('')
}
