import type { Sql } from '../../engines/postgres/index.ts'
import { asText, type Json } from '../../lib/json.ts'
import type { PropertyType } from './guess-type.ts'
import { type Notes, noteColumns } from './notes.ts'

interface Page<T> {
  readonly count: number
  readonly results: T[]
}

export interface EventDefinition extends Notes {
  readonly id: string
  readonly name: string
  readonly count: number
  readonly createdAt: Date
  readonly lastSeenAt: Date
}

interface Listing {
  /** Part of the name, in any case. */
  readonly search?: string | undefined
  readonly limit?: number
  readonly offset?: number
  /** Without hidden ones. */
  readonly visibleOnly?: boolean
  /** Only the one with this uuid. */
  readonly id?: string
}

/** The events of a project, the most frequent first. */
export async function listEventDefinitions(
  sql: Sql,
  project: number,
  { search = '', limit = 100, offset = 0, visibleOnly = false, id }: Listing = {},
): Promise<Page<EventDefinition>> {
  const matching = sql`
    FROM event_definitions WHERE project_id = ${project} AND strpos(lower(name || ' ' || description), lower(${search})) > 0
    ${visibleOnly ? sql`AND NOT hidden` : sql``} ${id === undefined ? sql`` : sql`AND id = ${id}::uuid`}`
  const [counted] = await sql<[{ count: number }]>`SELECT count(*) AS count ${matching}`
  const results = await sql<EventDefinition[]>`
    SELECT id, name, count, created_at AS "createdAt",
      greatest(last_seen_at, created_at) AS "lastSeenAt", ${noteColumns(sql)} ${matching}
    ORDER BY count DESC, name LIMIT ${limit} OFFSET ${offset}`
  return { count: counted.count, results: [...results] }
}

export interface PropertyDefinition extends Notes {
  readonly id: string
  readonly name: string
  readonly type: 'event' | 'person' | 'group'
  readonly groupTypeIndex: number | null
  readonly propertyType: PropertyType | null
  /** How often it was seen: with the given events, if some are given. */
  readonly count: number
  readonly samples: Json[]
  readonly lastSeenAt: Date
}

interface PropertyListing extends Listing {
  readonly type?: 'event' | 'person' | 'group'
  readonly groupTypeIndex?: number | undefined
  /** Only properties seen with one of these events, most frequent first. */
  readonly eventNames?: readonly string[] | undefined
  /** Only these names. */
  readonly names?: readonly string[] | undefined
}

/** The properties of a kind, those that are present most often first. */
export async function listPropertyDefinitions(
  sql: Sql,
  project: number,
  options: PropertyListing = {},
): Promise<Page<PropertyDefinition>> {
  const {
    type = 'event',
    groupTypeIndex,
    eventNames,
    names,
    search = '',
    limit = 100,
    offset = 0,
    visibleOnly,
    id,
  } = options
  const onEvents = type === 'event' && eventNames && eventNames.length > 0
  const matching = sql`
    FROM property_definitions p
    ${
      onEvents
        ? sql`JOIN (SELECT property, sum(count)::bigint AS count, (jsonb_agg(samples ORDER BY count DESC) -> 0) AS samples FROM event_properties
                    WHERE project_id = ${project} AND event = ANY(${eventNames as string[]}::text[]) GROUP BY property) e ON e.property = p.name`
        : sql`JOIN LATERAL (SELECT p.count, p.samples) e ON true`
    }
    WHERE p.project_id = ${project} AND ${id === undefined ? sql`p.type = ${type}` : sql`p.id = ${id}::uuid`}
      AND strpos(lower(p.name || ' ' || p.description), lower(${search})) > 0 ${visibleOnly ? sql`AND NOT p.hidden` : sql``}
      ${type === 'group' && groupTypeIndex !== undefined ? sql`AND p.group_type_index = ${groupTypeIndex}` : sql``}
      ${names ? sql`AND p.name = ANY(${names as string[]}::text[])` : sql``}`
  const [counted] = await sql<[{ count: number }]>`SELECT count(*) AS count ${matching}`
  const results = await sql<PropertyDefinition[]>`
    SELECT p.id, p.name, p.type, nullif(p.group_type_index, -1) AS "groupTypeIndex", p.property_type AS "propertyType", e.count, e.samples,
           p.last_seen_at AS "lastSeenAt", ${noteColumns(sql)} ${matching}
    ORDER BY e.count DESC, p.name LIMIT ${limit} OFFSET ${offset}`
  return { count: counted.count, results: [...results] }
}

/** A few sample values of a property, as suggestions for a picker. */
export async function propertyValues(
  sql: Sql,
  project: number,
  options: {
    readonly type?: 'event' | 'person' | 'group'
    readonly groupTypeIndex?: number
    readonly key: string
    readonly eventNames?: readonly string[]
    readonly search?: string
  },
): Promise<Json[]> {
  const { search = '', key, ...rest } = options
  const { results } = await listPropertyDefinitions(sql, project, { ...rest, names: [key], limit: 1 })
  const wanted = search.toLowerCase()
  return (results[0]?.samples ?? []).filter((value) => asText(value).toLowerCase().includes(wanted))
}

/** Properties whose type is not text, as `type/name` -> type: what a query may cast them to. */
export async function propertyTypes(sql: Sql, project: number, most = 20_000): Promise<Map<string, PropertyType>> {
  const found = await sql<{ key: string; type: PropertyType }[]>`
    SELECT type || '/' || name AS key, property_type AS type FROM property_definitions
    WHERE project_id = ${project} AND property_type IN ('Numeric', 'Boolean', 'DateTime') ORDER BY count DESC LIMIT ${most}`
  return new Map(found.map(({ key, type }) => [key, type]))
}
