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
import { PageFailure, PageMissing, PagePending } from './fallbacks.tsx'
import { Frame } from './frame.tsx'
import { pageCode } from './page-code.ts'
import { searchOf } from './search-of.ts'
import type { Searches } from './searches.ts'

/** Every address of the app. What a page shows is in its address: filters, the insight's question, the open panels. */
const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: PageMissing,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchOf('sign-in'),
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
  validateSearch: searchOf('web'),
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
  validateSearch: searchOf('project'),
  component: Frame,
  // Inside the frame, so that the navigation stays.
  notFoundComponent: PageMissing,
})

type Load = () => Promise<Record<string, () => React.ReactNode>>

/** Its code is loaded when the page is first wanted. */
const shown = (load: Load, name: string) => lazyRouteComponent(pageCode(load), name)

/** A page of a project, with the fields of its address. */
const page = <P extends keyof Searches>(path: P, load: Load, name: string) =>
  createRoute({ getParentRoute: () => project, path, validateSearch: searchOf(path), component: shown(load, name) })

/** A page that has nothing in its address. */
const plainPage = <P extends string>(path: P, load: Load, name: string) =>
  createRoute({ getParentRoute: () => project, path, component: shown(load, name) })

const tree = root.addChildren([
  signIn,
  join,
  shared,
  start,
  project.addChildren([
    page('/', () => import('../features/home/home-page.tsx'), 'HomePage'),
    page('web', () => import('../features/web-analytics/web-page.tsx'), 'WebPage'),
    plainPage('start', () => import('../features/onboarding/onboarding-page.tsx'), 'OnboardingPage'),
    page('live', () => import('../features/live/live-page.tsx'), 'LivePage'),
    page('persons', () => import('../features/persons/persons-page.tsx'), 'PersonsPage'),
    page('persons/$personId', () => import('../features/persons/person-page.tsx'), 'PersonPage'),
    page('groups', () => import('../features/groups/groups-page.tsx'), 'GroupsPage'),
    page('groups/$groupType/$groupKey', () => import('../features/groups/group-page.tsx'), 'GroupPage'),
    plainPage('cohorts', () => import('../features/cohorts/cohorts-page.tsx'), 'CohortsPage'),
    plainPage('cohorts/$cohortId', () => import('../features/cohorts/cohort-page.tsx'), 'CohortPage'),
    plainPage('actions', () => import('../features/actions/actions-page.tsx'), 'ActionsPage'),
    plainPage('actions/$actionId', () => import('../features/actions/action-page.tsx'), 'ActionPage'),
    page('definitions', () => import('../features/definitions/definitions-page.tsx'), 'DefinitionsPage'),
    page('insights', () => import('../features/insights/insights-page.tsx'), 'InsightsPage'),
    page('insights/new', () => import('../features/insights/insight-page.tsx'), 'InsightPage'),
    page('insights/$shortId', () => import('../features/insights/insight-page.tsx'), 'InsightPage'),
    page('sql', () => import('../features/sql/sql-page.tsx'), 'SqlPage'),
    plainPage('dashboards', () => import('../features/dashboards/dashboards-page.tsx'), 'DashboardsPage'),
    page('dashboards/$dashboardId', () => import('../features/dashboards/dashboard-page.tsx'), 'DashboardPage'),
    page('recordings', () => import('../features/recordings/recordings-page.tsx'), 'RecordingsPage'),
    page('recordings/$recordingId', () => import('../features/recordings/recording-page.tsx'), 'RecordingPage'),
    page('heatmaps', () => import('../features/heatmaps/heatmaps-page.tsx'), 'HeatmapsPage'),
    page('flags', () => import('../features/flags/flags-page.tsx'), 'FlagsPage'),
    page('experiments', () => import('../features/flags/experiments-page.tsx'), 'ExperimentsPage'),
    plainPage('early-access', () => import('../features/flags/early-access-page.tsx'), 'EarlyAccessPage'),
    plainPage(
      'early-access/$featureId',
      () => import('../features/flags/early-access-feature-page.tsx'),
      'EarlyAccessFeaturePage',
    ),
    plainPage('flags/new', () => import('../features/flags/edit-flag-page.tsx'), 'NewFlagPage'),
    page('flags/$flagId', () => import('../features/flags/flag-page.tsx'), 'FlagPage'),
    plainPage('flags/$flagId/edit', () => import('../features/flags/edit-flag-page.tsx'), 'EditFlagPage'),
    plainPage('playlists', () => import('../features/playlists/playlists-page.tsx'), 'PlaylistsPage'),
    plainPage('playlists/$shortId', () => import('../features/playlists/playlist-page.tsx'), 'PlaylistPage'),
    plainPage('settings', () => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
    plainPage('settings/$section', () => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
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
