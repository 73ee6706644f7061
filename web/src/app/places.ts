import type { IconName } from '../ui/icon.tsx'

/** The pages of the navigation rail, in order. */
interface Place {
  to:
    | '/project/$projectId'
    | '/project/$projectId/web'
    | '/project/$projectId/insights'
    | '/project/$projectId/dashboards'
    | '/project/$projectId/persons'
    | '/project/$projectId/groups'
    | '/project/$projectId/cohorts'
    | '/project/$projectId/actions'
    | '/project/$projectId/recordings'
    | '/project/$projectId/playlists'
    | '/project/$projectId/heatmaps'
    | '/project/$projectId/flags'
    | '/project/$projectId/live'
    | '/project/$projectId/sql'
    | '/project/$projectId/definitions'
    | '/project/$projectId/settings'
  label: string
  icon: IconName
  /** Also in the bar of a small screen. */
  main?: boolean
  /** Parts of it that have an address of their own. */
  parts?: readonly string[]
}

export const PLACES: readonly Place[] = [
  { to: '/project/$projectId', label: 'Home', icon: 'home', main: true },
  { to: '/project/$projectId/web', label: 'Web', icon: 'web' },
  { to: '/project/$projectId/insights', label: 'Insights', icon: 'insights', main: true },
  { to: '/project/$projectId/dashboards', label: 'Dashboards', icon: 'dashboards' },
  { to: '/project/$projectId/persons', label: 'Persons', icon: 'persons', main: true },
  { to: '/project/$projectId/groups', label: 'Groups', icon: 'groups' },
  { to: '/project/$projectId/cohorts', label: 'Cohorts', icon: 'filter' },
  { to: '/project/$projectId/recordings', label: 'Recordings', icon: 'recordings', main: true },
  { to: '/project/$projectId/playlists', label: 'Playlists', icon: 'playlists' },
  { to: '/project/$projectId/heatmaps', label: 'Heatmaps', icon: 'target' },
  { to: '/project/$projectId/flags', label: 'Flags', icon: 'flag', parts: ['experiments', 'early-access'] },
  { to: '/project/$projectId/live', label: 'Live', icon: 'live', main: true },
  { to: '/project/$projectId/sql', label: 'SQL', icon: 'sql' },
  { to: '/project/$projectId/actions', label: 'Actions', icon: 'tag' },
  { to: '/project/$projectId/definitions', label: 'Definitions', icon: 'definitions' },
  { to: '/project/$projectId/settings', label: 'Settings', icon: 'settings' },
]
