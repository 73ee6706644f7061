import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { projects } from '../api/queries.ts'
import { readDraft } from '../features/insights/index.ts'
import { readPanels } from '../features/panels/index.ts'
import { PageFailure, PageMissing, PagePending } from './fallbacks.tsx'
import { Frame } from './frame.tsx'
import { pageCode } from './page-code.ts'

/** Every address of the app. What a page shows is in its address: filters, the insight's question, the open panels. */
const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: PageMissing,
})

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { token?: string; next?: string } => ({
    ...(text(search.token) ? { token: text(search.token) as string } : {}),
    ...(text(search.next) ? { next: text(search.next) as string } : {}),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('../features/sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join/$token',
  component: lazyRouteComponent(
    pageCode(() => import('../features/sign-in/join-page.tsx')),
    'JoinPage',
  ),
})

const shared = createRoute({
  getParentRoute: () => root,
  path: '/shared/$token',
  component: lazyRouteComponent(
    pageCode(() => import('../features/recordings/shared-page.tsx')),
    'SharedPage',
  ),
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { results } = await context.client.ensureQueryData(projects())
    const remembered = localStorage.getItem('footfall.project')
    const chosen = results.find(({ id }) => String(id) === remembered) ?? results[0]
    if (chosen) throw redirect({ to: '/project/$projectId', params: { projectId: String(chosen.id) }, replace: true })
  },
  component: PageMissing,
})

const project = createRoute({
  getParentRoute: () => root,
  path: '/project/$projectId',
  validateSearch: readPanels,
  component: Frame,
})

const page = <P extends string>(path: P, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => project,
    path,
    validateSearch: (search: Record<string, unknown>) => search,
    component: lazyRouteComponent(pageCode(load as () => Promise<Record<string, () => React.ReactNode>>), name),
  })

const insightSearch = (search: Record<string, unknown>) => ({ ...search, q: readDraft(search.q) })

const insightNew = createRoute({
  getParentRoute: () => project,
  path: 'insights/new',
  validateSearch: insightSearch,
  component: lazyRouteComponent(
    pageCode(() => import('../features/insights/insight-page.tsx')),
    'InsightPage',
  ),
})

const insightSaved = createRoute({
  getParentRoute: () => project,
  path: 'insights/$shortId',
  validateSearch: insightSearch,
  component: lazyRouteComponent(
    pageCode(() => import('../features/insights/insight-page.tsx')),
    'InsightPage',
  ),
})

const tree = root.addChildren([
  signIn,
  join,
  shared,
  start,
  project.addChildren([
    page('/', () => import('../features/home/home-page.tsx'), 'HomePage'),
    page('start', () => import('../features/onboarding/onboarding-page.tsx'), 'OnboardingPage'),
    page('live', () => import('../features/live/live-page.tsx'), 'LivePage'),
    page('persons', () => import('../features/persons/persons-page.tsx'), 'PersonsPage'),
    page('persons/$personId', () => import('../features/persons/person-page.tsx'), 'PersonPage'),
    page('groups', () => import('../features/groups/groups-page.tsx'), 'GroupsPage'),
    page('groups/$groupType/$groupKey', () => import('../features/groups/group-page.tsx'), 'GroupPage'),
    page('cohorts', () => import('../features/cohorts/cohorts-page.tsx'), 'CohortsPage'),
    page('cohorts/$cohortId', () => import('../features/cohorts/cohort-page.tsx'), 'CohortPage'),
    page('actions', () => import('../features/actions/actions-page.tsx'), 'ActionsPage'),
    page('actions/$actionId', () => import('../features/actions/action-page.tsx'), 'ActionPage'),
    page('definitions', () => import('../features/definitions/definitions-page.tsx'), 'DefinitionsPage'),
    page('insights', () => import('../features/insights/insights-page.tsx'), 'InsightsPage'),
    insightNew,
    insightSaved,
    page('sql', () => import('../features/sql/sql-page.tsx'), 'SqlPage'),
    page('dashboards', () => import('../features/dashboards/dashboards-page.tsx'), 'DashboardsPage'),
    page('dashboards/$dashboardId', () => import('../features/dashboards/dashboard-page.tsx'), 'DashboardPage'),
    page('recordings', () => import('../features/recordings/recordings-page.tsx'), 'RecordingsPage'),
    page('recordings/$recordingId', () => import('../features/recordings/recording-page.tsx'), 'RecordingPage'),
    page('playlists', () => import('../features/playlists/playlists-page.tsx'), 'PlaylistsPage'),
    page('playlists/$shortId', () => import('../features/playlists/playlist-page.tsx'), 'PlaylistPage'),
    page('settings', () => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
    page('settings/$section', () => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  context: { client: undefined as unknown as QueryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: PageMissing,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
