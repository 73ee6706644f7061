import type { FlagListQuery, FlagOrder } from '../../contract/resources/flag-management.ts'
import { isBehind, type Place, pageOf, type Sql } from '../../engines/postgres/index.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { STALE_AFTER_DAYS } from '../check/rollout.ts'
import type { SavedFlag } from './saved-flag.ts'

const ORDER_TYPES = {
  id: 'integer',
  key: 'text',
  name: 'text',
  active: 'boolean',
  created_at: 'timestamptz',
  created_by: 'integer',
  updated_at: 'timestamptz',
  version: 'integer',
  last_called_at: 'timestamptz',
} as const satisfies Record<FlagOrder, string>

interface FlagPage {
  readonly count: number
  readonly flags: readonly SavedFlag[]
  readonly end: Place | null
  readonly hasMore: boolean
}

/** The flags of a project that are not deleted. */
export async function listFlags(sql: Sql, project: number, asked: FlagListQuery, behind?: Place): Promise<FlagPage> {
  const where = conditionsOf(sql, project, asked).reduce((all, each) => sql`${all} AND ${each}`)
  const name = asked.order.replace(/^-/, '') as FlagOrder
  const descending = asked.order.startsWith('-')
  const by = name === 'last_called_at' ? sql`u.last_called_at` : sql`f.${sql(name)}`
  const direction = descending ? sql`DESC` : sql`ASC`
  const order = { column: by, type: ORDER_TYPES[name], id: sql`f.id`, descending }
  const from = sql`feature_flags f LEFT JOIN feature_flag_usage u ON u.flag_id = f.id`
  const found = await sql<(SavedFlag & { readonly place: string | null })[]>`
    SELECT f.*, u.last_called_at, (${by})::text AS place FROM ${from}
    WHERE ${where} ${behind ? sql`AND ${isBehind(sql, order, behind)}` : sql``}
    ORDER BY ${by} ${direction} NULLS LAST, f.id ${direction}
    LIMIT ${asked.limit + 1} OFFSET ${behind ? 0 : asked.offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM ${from} WHERE ${where}`
  const { rows: flags, ...page } = pageOf(found, asked.limit, ({ place, id }) => [place, String(id)])
  return { count: total?.count ?? 0, flags, ...page }
}

function conditionsOf(sql: Sql, project: number, asked: FlagListQuery) {
  const { search, key, active, archived, created_by_id, type, tags, excluded_tags } = asked
  const { evaluation_runtime, has_evaluation_contexts } = asked
  const pattern = search === undefined ? undefined : `%${search.replaceAll('\0', '').replace(/[\\%_]/g, '\\$&')}%`
  const variants = sql`coalesce(jsonb_array_length(CASE WHEN jsonb_typeof(f.filters #> '{multivariate,variants}') = 'array'
    THEN f.filters #> '{multivariate,variants}' END), 0)`
  return [
    sql`f.project_id = ${project} AND NOT f.deleted AND f.archived = ${archived ?? false}`,
    ...(pattern === undefined ? [] : [sql`(f.key ILIKE ${pattern} OR f.name ILIKE ${pattern})`]),
    ...(key === undefined ? [] : [sql`f.key = ${withoutNul(key)}`]),
    ...(active === undefined ? [] : [active === 'STALE' ? isStale(sql) : sql`f.active = ${active === 'TRUE'}`]),
    ...(created_by_id === undefined ? [] : [sql`f.created_by = ANY(${created_by_id.map(Number)}::int[])`]),
    ...(type === undefined
      ? []
      : [
          type === 'boolean'
            ? sql`${variants} = 0 AND NOT f.is_remote_configuration`
            : type === 'multivariant'
              ? sql`${variants} > 0`
              : type === 'experiment'
                ? sql`EXISTS (SELECT 1 FROM experiments e WHERE e.feature_flag_id = f.id AND NOT e.deleted)`
                : sql`f.is_remote_configuration`,
        ]),
    ...(tags === undefined || tags.length === 0 ? [] : [sql`f.tags && ${tags}::text[]`]),
    ...(excluded_tags === undefined || excluded_tags.length === 0 ? [] : [sql`NOT f.tags && ${excluded_tags}::text[]`]),
    ...(evaluation_runtime === undefined ? [] : [sql`coalesce(f.evaluation_runtime, 'all') = ${evaluation_runtime}`]),
    ...(has_evaluation_contexts === undefined
      ? []
      : [sql`(cardinality(f.evaluation_contexts) > 0) = ${has_evaluation_contexts}`]),
  ]
}

/** What `statusOf` (check/rollout.ts) calls stale, for lists; a test holds the two together. */
function isStale(sql: Sql) {
  const everybody =
    '$.groups[*] ? (@.type() == "object" && !exists(@.properties[*] ? (@ != null)) && !exists(@.rollout_percentage ? (@ < 100)))'
  const variants = '$.multivariate.variants[*] ? (@ != null)'
  const whole = '$.multivariate.variants[*] ? (@.rollout_percentage == 100)'
  // Of conditions for everybody the first decides.
  const named = sql`jsonb_typeof(jsonb_path_query_first(f.filters, ${everybody}::jsonpath) -> 'variant') = 'string'`
  const month = sql`make_interval(days => ${STALE_AFTER_DAYS})`
  return sql`(u.last_called_at <= now() - ${month} OR (u.last_called_at IS NULL AND f.created_at <= now() - ${month}
    AND f.filters @? ${everybody}::jsonpath
    AND (NOT f.filters @? ${variants}::jsonpath OR f.filters @? ${whole}::jsonpath OR coalesce(${named}, false))))`
}
