import { isBehind, type Place, pageOf, type Sql } from '../../engines/postgres/index.ts'
import type { SavedInsight } from './insight.ts'

const ORDER_TYPES = {
  id: 'integer',
  name: 'text',
  created_at: 'timestamptz',
  created_by: 'integer',
  updated_at: 'timestamptz',
  last_modified_at: 'timestamptz',
  last_modified_by: 'integer',
  favorited: 'boolean',
  my_last_viewed_at: 'timestamptz',
} as const
export type InsightOrder = keyof typeof ORDER_TYPES
export const INSIGHT_ORDERS = Object.keys(ORDER_TYPES) as InsightOrder[]

interface InsightQuestion {
  readonly project: number
  /** Who asks, for what only they can see: when they last looked. */
  readonly viewer: number
  readonly saved?: boolean | undefined
  readonly favorited?: boolean | undefined
  readonly createdBy?: number | undefined
  readonly shortId?: string | undefined
  /** Part of the name, the derived name, the description or a tag, in any case. */
  readonly search?: string | undefined
  /** TRENDS, FUNNELS and so on. */
  readonly insight?: string | undefined
  /** On all of these. */
  readonly dashboards?: readonly number[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly modifiedAfter?: Date | undefined
  readonly modifiedBefore?: Date | undefined
  readonly order: InsightOrder
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
  /** Where the page before ended; the offset does not count then. */
  readonly behind?: Place | undefined
}

export async function listInsights(
  sql: Sql,
  asked: InsightQuestion,
): Promise<{ count: number; insights: readonly SavedInsight[]; end: Place | null; hasMore: boolean }> {
  const pattern = asked.search === undefined ? undefined : `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`
  const { saved, favorited, createdBy, shortId, insight, dashboards, tags, modifiedAfter, modifiedBefore } = asked
  const conditions = [
    sql`i.project_id = ${asked.project} AND NOT i.deleted`,
    ...(saved === undefined ? [] : [sql`i.saved = ${saved}`]),
    ...(favorited === undefined ? [] : [sql`i.favorited = ${favorited}`]),
    ...(createdBy === undefined ? [] : [sql`i.created_by = ${createdBy}`]),
    ...(shortId === undefined ? [] : [sql`i.short_id = ${shortId}`]),
    ...(insight === undefined ? [] : [isAbout(sql, insight)]),
    ...(tags === undefined || tags.length === 0 ? [] : [sql`i.tags && ${[...tags]}::text[]`]),
    ...(modifiedAfter === undefined ? [] : [sql`i.last_modified_at > ${modifiedAfter}`]),
    ...(modifiedBefore === undefined ? [] : [sql`i.last_modified_at < ${modifiedBefore}`]),
    ...(pattern === undefined
      ? []
      : [
          sql`(i.name ILIKE ${pattern} OR i.derived_name ILIKE ${pattern} OR i.description ILIKE ${pattern}
            OR EXISTS (SELECT 1 FROM unnest(i.tags) tag WHERE tag ILIKE ${pattern}))`,
        ]),
    ...(dashboards === undefined || dashboards.length === 0
      ? []
      : [
          sql`(SELECT count(DISTINCT t.dashboard_id) FROM dashboard_tiles t
            WHERE t.insight_id = i.id AND NOT t.deleted AND t.dashboard_id = ANY(${[...dashboards]}::int[])) = ${new Set(dashboards).size}`,
        ]),
  ]
  const where = conditions.reduce((all, each) => sql`${all} AND ${each}`)
  const direction = asked.descending ? sql`DESC` : sql`ASC`
  const by = asked.order === 'my_last_viewed_at' ? sql`v.viewed_at` : sql`i.${sql(asked.order)}`
  const order = { column: by, type: ORDER_TYPES[asked.order], id: sql`i.id`, descending: asked.descending }
  const found = await sql<(SavedInsight & { readonly place: string | null })[]>`
    SELECT i.*, (${by})::text AS place
    FROM insights i LEFT JOIN insight_views v ON v.insight_id = i.id AND v.user_id = ${asked.viewer}
    WHERE ${where} ${asked.behind ? sql`AND ${isBehind(sql, order, asked.behind)}` : sql``}
    ORDER BY ${by} ${direction} NULLS LAST, i.id ${direction}
    LIMIT ${asked.limit + 1} OFFSET ${asked.behind ? 0 : asked.offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM insights i WHERE ${where}`
  const { rows: insights, ...page } = pageOf(found, asked.limit, ({ place, id }) => [place, String(id)])
  return { count: total?.count ?? 0, insights, ...page }
}

const KINDS = new Map(
  Object.entries({
    TRENDS: 'TrendsQuery',
    FUNNELS: 'FunnelsQuery',
    RETENTION: 'RetentionQuery',
    PATHS: 'PathsQuery',
    STICKINESS: 'StickinessQuery',
    LIFECYCLE: 'LifecycleQuery',
    SQL: 'HogQLQuery',
  }),
)

/**
 * By the kind of its query, inside whatever it is wrapped in, or by its filters. Postgres keeps half of a character
 * (\ud800) in JSON as it was sent, but cannot look into such JSON: that insight has no kind, and the others are found.
 */
function isAbout(sql: Sql, insight: string) {
  const kind = KINDS.get(insight.toUpperCase()) ?? insight
  const readable = (column: ReturnType<typeof sql>) =>
    sql`CASE WHEN ${column}::text !~* ${HALF_CHARACTER} THEN ${column} END`
  const [query, filters] = [readable(sql`i.query`), readable(sql`i.filters`)]
  return sql`(coalesce(${query} #>> '{source,source,kind}', ${query} #>> '{source,kind}', ${query} ->> 'kind') = ${kind}
    OR (i.query IS NULL AND upper(coalesce(${filters} ->> 'insight', 'TRENDS')) = ${insight.toUpperCase()}))`
}

/** As `stringifyJson` writes it: whole characters beyond the first 65,536 are not escaped. */
const HALF_CHARACTER = String.raw`\\u(d[89a-f]|0000)`
