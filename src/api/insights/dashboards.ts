import { userObject, usersById } from '../../accounts/index.ts'
import { pageOf } from '../../contract/envelopes.ts'
import {
  basicDashboardSchema,
  dashboardFieldsSchema,
  dashboardListQuerySchema,
  dashboardSchema,
} from '../../contract/resources/dashboard.ts'
import { refreshQuerySchema } from '../../contract/resources/insight.ts'
import { ApiError } from '../../http/errors.ts'
import {
  addTile,
  changeTiles,
  createDashboard,
  type Dashboard,
  findDashboard,
  foreignInsight,
  insightsById,
  keepForeignInsight,
  listDashboards,
  type SavedInsight,
  tilesOf,
  updateDashboard,
  wrongInOverride,
} from '../../insights/index.ts'
import { fewAtATime } from '../../lib/few-at-a-time.ts'
import { isObject } from '../../lib/json.ts'
import { notAllowed } from '../frame/answer.ts'
import { requireScope } from '../frame/authenticate.ts'
import type { ProjectCall } from '../frame/context.ts'
import { fromEngines } from '../frame/from-engines.ts'
import { only } from '../frame/only.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { numbersOf } from './insight-numbers.ts'
import { type FullInsight, fullInsights } from './insight-record.ts'

const FIELDS = dashboardFieldsSchema.extend({
  filters: dashboardFieldsSchema.shape.filters.superRefine((given, context) => {
    const wrong = given === undefined ? null : wrongInOverride(given)
    if (wrong) context.addIssue({ code: 'custom', ...wrong, path: [...wrong.path] })
  }),
})

/**
 * Several insights at once. An insight comes onto a dashboard through its own `dashboards`; here tiles are moved and
 * taken away.
 */
export function addDashboardRoutes(routes: ApiRoutes): void {
  routes.addToProject('dashboards/', {
    GET: projectEndpoint({
      summary: 'Dashboards, pinned ones first',
      scope: 'dashboard:read',
      query: dashboardListQuerySchema,
      answer: pageOf(basicDashboardSchema),
      handle: async (call) => {
        const { count, dashboards } = await listDashboards(call.sql, call.project.id, call.query)
        return envelope(call.url, call.query, count, await basicDashboards(call, dashboards))
      },
    }),
    POST: projectEndpoint({
      summary: 'Create a dashboard',
      scope: 'dashboard:write',
      body: FIELDS,
      answer: dashboardSchema,
      status: 201,
      handle: async (call) => {
        const { sql, project, caller, body } = call
        const { tiles = [], ...fields } = body
        const shown = tiles.flatMap(({ insight, deleted, ...tile }) => {
          const foreign = deleted ? undefined : foreignInsight(insight)
          return foreign ? [{ ...tile, foreign }] : []
        })
        if (shown.length > 0) requireScope(caller, 'insight:write')
        const created = await sql.begin(async (tx) => {
          const dashboard = await createDashboard(tx, project.id, caller.user.id, fields)
          for (const { foreign, layouts, color } of shown) {
            const { id } = await keepForeignInsight(tx, project.id, caller.user.id, foreign)
            await addTile(tx, dashboard.id, id, { layouts, color })
          }
          // Numbers of tiles are of the dashboard they were read from.
          await changeTiles(
            tx,
            dashboard.id,
            tiles.filter(({ deleted }) => !deleted).map(({ id: _, ...tile }) => tile),
          )
          return dashboard
        })
        return dashboardWithTiles(call, created)
      },
    }),
  })
  const change = (summary: string) =>
    projectEndpoint({
      summary,
      scope: 'dashboard:write',
      body: FIELDS,
      answer: dashboardSchema,
      handle: async (call) => {
        const { sql, body } = call
        const { id } = await dashboardOf(call, { deletedToo: body.deleted === false })
        const { tiles = [], ...fields } = body
        const changed = await sql.begin(async (tx) => {
          await changeTiles(tx, id, tiles)
          return updateDashboard(tx, id, fields)
        })
        return dashboardWithTiles(call, changed)
      },
    })
  routes.addToProject('dashboards/:dashboard_id/', {
    GET: projectEndpoint({
      summary: 'One dashboard, with its tiles; with `refresh`, their numbers too',
      scope: 'dashboard:read',
      query: refreshQuerySchema,
      answer: dashboardSchema,
      errors: ['query_too_heavy'],
      handle: async (call) => {
        const dashboard = await dashboardOf(call)
        const numbers = 'refresh' in call.query ? tileNumbers(call, dashboard) : undefined
        return dashboardWithTiles(call, dashboard, numbers)
      },
    }),
    PATCH: change('Change a dashboard and its tiles; `deleted` takes it away and brings it back'),
    PUT: change('Change a dashboard, as PATCH does'),
    DELETE: projectEndpoint({
      summary: 'Refused: take a dashboard away by setting `deleted`',
      scope: 'dashboard:write',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

async function dashboardOf(
  { sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>,
  options: { deletedToo?: boolean } = {},
): Promise<Dashboard> {
  const found = await findDashboard(sql, project.id, params.dashboard_id ?? '', options)
  if (!found) throw new ApiError('not_found')
  return found
}

type Teller = Pick<ProjectCall, 'sql' | 'project'>

async function basicDashboards({ sql }: Teller, dashboards: readonly Dashboard[]) {
  const users = await usersById(
    sql,
    dashboards.map(({ created_by }) => created_by),
  )
  return dashboards.map(({ project_id: _, imported_from: __, created_by, ...dashboard }) => {
    const user = created_by === null ? undefined : users.get(created_by)
    return {
      ...dashboard,
      name: dashboard.name ?? '',
      created_by: user ? userObject(user) : null,
      is_shared: false,
      creation_mode: 'default' as const,
      restriction_level: 21,
      effective_restriction_level: 21,
      effective_privilege_level: 37,
    }
  })
}

/** So that one that takes long keeps few others waiting, and a dashboard leaves slots of its project to other questions. */
const TILES_AT_A_TIME = 2

interface TileError {
  readonly type: string
  readonly message: string
}
type TileNumbers = (insight: SavedInsight) => Promise<{ numbers?: Partial<FullInsight>; error?: TileError }>

async function dashboardWithTiles(call: Teller, dashboard: Dashboard, numbersOf?: TileNumbers) {
  const tiles = await tilesOf(call.sql, dashboard.id)
  const shown = await insightsById(
    call.sql,
    tiles.flatMap(({ insight_id }) => (insight_id === null ? [] : [insight_id])),
  )
  const records = await fullInsights(call, shown)
  const answered = await fewAtATime(records, TILES_AT_A_TIME, async (record, at) => {
    const { numbers, ...rest } = (await numbersOf?.(shown[at] as SavedInsight)) ?? {}
    return [record.id, { insight: { ...record, ...numbers }, ...rest }] as const
  })
  const insights = new Map<number, { insight: FullInsight; error?: TileError }>(answered)
  return {
    ...only(await basicDashboards(call, [dashboard])),
    tiles: tiles.map(({ id, insight_id, body, layouts, color, deleted }) => ({
      id,
      ...(insights.get(insight_id ?? -1) ?? { insight: null }),
      text: body === null ? null : { body },
      layouts,
      color,
      deleted,
    })),
  }
}

/**
 * Under the dashboard's own filters. A tile that cannot be answered says why, and the others are there all the same.
 */
function tileNumbers(call: ProjectCall, { filters }: Dashboard): TileNumbers {
  const said = Object.entries(isObject(filters) ? filters : {}).filter(([, value]) => value !== null && value !== '')
  const override = said.length === 0 ? null : Object.fromEntries(said)
  return async (insight) => {
    try {
      return { numbers: (await numbersOf(call, insight, override)) ?? {} }
    } catch (error) {
      const failure = fromEngines(error as Error)
      if (!(failure instanceof ApiError)) throw error
      return { error: { type: failure.code, message: failure.message } }
    }
  }
}
