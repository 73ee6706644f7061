import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { projects } from './api/queries.ts'
import { readDoors } from './doors/door.ts'
import { PageFailure, PageMissing, PagePending } from './frame/fallbacks.tsx'
import { Frame } from './frame/frame.tsx'
import { pageCode } from './frame/page-code.ts'
import { readDraft } from './insights/draft.ts'

/** Every address of the app. What a page shows is in its address: filters, the insight's question, the open doors. */
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
    pageCode(() => import('./pages/sign-in.tsx')),
    'SignInPage',
  ),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join/$token',
  component: lazyRouteComponent(
    pageCode(() => import('./pages/join.tsx')),
    'JoinPage',
  ),
})

const shared = createRoute({
  getParentRoute: () => root,
  path: '/shared/$token',
  component: lazyRouteComponent(
    pageCode(() => import('./pages/shared.tsx')),
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
  validateSearch: readDoors,
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
    pageCode(() => import('./pages/insight.tsx')),
    'InsightPage',
  ),
})

const insightSaved = createRoute({
  getParentRoute: () => project,
  path: 'insights/$shortId',
  validateSearch: insightSearch,
  component: lazyRouteComponent(
    pageCode(() => import('./pages/insight.tsx')),
    'InsightPage',
  ),
})

const tree = root.addChildren([
  signIn,
  join,
  shared,
  start,
  project.addChildren([
    page('/', () => import('./pages/home.tsx'), 'HomePage'),
    page('start', () => import('./pages/onboarding.tsx'), 'OnboardingPage'),
    page('live', () => import('./pages/live.tsx'), 'LivePage'),
    page('persons', () => import('./pages/persons.tsx'), 'PersonsPage'),
    page('persons/$personId', () => import('./pages/person.tsx'), 'PersonPage'),
    page('groups', () => import('./pages/groups.tsx'), 'GroupsPage'),
    page('groups/$groupType/$groupKey', () => import('./pages/group.tsx'), 'GroupPage'),
    page('cohorts', () => import('./pages/cohorts.tsx'), 'CohortsPage'),
    page('cohorts/$cohortId', () => import('./pages/cohort.tsx'), 'CohortPage'),
    page('actions', () => import('./pages/actions.tsx'), 'ActionsPage'),
    page('actions/$actionId', () => import('./pages/action.tsx'), 'ActionPage'),
    page('definitions', () => import('./pages/definitions.tsx'), 'DefinitionsPage'),
    page('insights', () => import('./pages/insights.tsx'), 'InsightsPage'),
    insightNew,
    insightSaved,
    page('sql', () => import('./pages/sql.tsx'), 'SqlPage'),
    page('dashboards', () => import('./pages/dashboards.tsx'), 'DashboardsPage'),
    page('dashboards/$dashboardId', () => import('./pages/dashboard.tsx'), 'DashboardPage'),
    page('recordings', () => import('./pages/recordings.tsx'), 'RecordingsPage'),
    page('recordings/$recordingId', () => import('./pages/recording.tsx'), 'RecordingPage'),
    page('playlists', () => import('./pages/playlists.tsx'), 'PlaylistsPage'),
    page('playlists/$shortId', () => import('./pages/playlist.tsx'), 'PlaylistPage'),
    page('settings', () => import('./pages/settings.tsx'), 'SettingsPage'),
    page('settings/$section', () => import('./pages/settings.tsx'), 'SettingsPage'),
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
