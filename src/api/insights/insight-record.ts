import { userObject, usersById } from '../../accounts/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { type SavedInsight, type Tile, tilesOfInsights } from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'

/** Insights on the wire. Numbers are put in by whoever has them. */
type Teller = Pick<ProjectCall, 'sql' | 'project'>

/** What lists of insights need to know of each. */
export async function basicInsights({ sql }: { readonly sql: Sql }, insights: readonly SavedInsight[]) {
  const [tiles, users] = await Promise.all([
    tilesOfInsights(
      sql,
      insights.map(({ id }) => id),
    ),
    usersById(
      sql,
      insights.flatMap(({ created_by, last_modified_by }) => [created_by, last_modified_by]),
    ),
  ])
  const userOf = (id: number | null) => {
    const user = id === null ? undefined : users.get(id)
    return user ? userObject(user) : null
  }
  return insights.map((insight) => ({
    id: insight.id,
    short_id: insight.short_id,
    name: insight.name,
    derived_name: insight.derived_name,
    // Clients that read filters must not mistake the leftovers for the question.
    filters: insight.query === null ? insight.filters : {},
    query: insight.query,
    dashboards: dashboardsOf(tiles.get(insight.id)),
    dashboard_tiles: (tiles.get(insight.id) ?? []).map(({ id, dashboard_id, deleted }) => ({
      id,
      dashboard_id,
      deleted,
    })),
    description: insight.description,
    last_refresh: null as string | null,
    refreshing: false,
    saved: insight.saved,
    tags: insight.tags,
    updated_at: insight.updated_at,
    created_by: userOf(insight.created_by),
    created_at: insight.created_at,
    last_modified_at: insight.last_modified_at,
    last_modified_by: userOf(insight.last_modified_by),
    favorited: insight.favorited,
  }))
}

const dashboardsOf = (tiles: readonly Tile[] = []): number[] => tiles.map(({ dashboard_id }) => dashboard_id)

/** Everything. */
export async function fullInsights(call: Teller, insights: readonly SavedInsight[]) {
  const basic = await basicInsights(call, insights)
  return basic.map((record, at) => ({
    ...record,
    order: insights[at]?.order ?? null,
    deleted: insights[at]?.deleted ?? false,
    cache_target_age: null,
    next_allowed_client_refresh: null,
    result: null as unknown,
    hasMore: null as boolean | null,
    columns: null as readonly string[] | null,
    is_sample: false,
    effective_restriction_level: 21,
    effective_privilege_level: 37,
    timezone: call.project.timezone,
    is_cached: false,
    query_status: null,
    hogql: null as string | null,
    types: null as unknown,
  }))
}

export type FullInsight = Awaited<ReturnType<typeof fullInsights>>[number]
