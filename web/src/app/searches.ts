/** What the addresses of pages hold, by their paths. Loaded when an address holds something: most do not. */
import { dashboardSearch } from '../features/dashboards/search.ts'
import { definitionsSearch } from '../features/definitions/search.ts'
import { experimentsSearch, flagSearch, flagsSearch } from '../features/flags/search.ts'
import { groupSearch, groupsSearch } from '../features/groups/search.ts'
import { heatmapsSearch } from '../features/heatmaps/search.ts'
import { homeSearch } from '../features/home/search.ts'
import { insightSearch, insightsSearch } from '../features/insights/search.ts'
import { liveSearch } from '../features/live/search.ts'
import { panelsSearch } from '../features/panels/panel.ts'
import { personSearch, personsSearch } from '../features/persons/search.ts'
import { recordingSearch, recordingsSearch } from '../features/recordings/search.ts'
import { signInSearch } from '../features/sign-in/search.ts'
import { sqlSearch } from '../features/sql/search.ts'
import { webSearch } from '../features/web-analytics/search.ts'

export const searches = {
  'sign-in': signInSearch,
  project: panelsSearch,
  '/': homeSearch,
  web: webSearch,
  live: liveSearch,
  persons: personsSearch,
  'persons/$personId': personSearch,
  groups: groupsSearch,
  'groups/$groupType/$groupKey': groupSearch,
  definitions: definitionsSearch,
  insights: insightsSearch,
  'insights/new': insightSearch,
  'insights/$shortId': insightSearch,
  sql: sqlSearch,
  'dashboards/$dashboardId': dashboardSearch,
  recordings: recordingsSearch,
  'recordings/$recordingId': recordingSearch,
  heatmaps: heatmapsSearch,
  flags: flagsSearch,
  experiments: experimentsSearch,
  'flags/$flagId': flagSearch,
} as const

export type Searches = typeof searches
