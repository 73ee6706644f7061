import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ApiFailure } from '../lib/api-failure.ts'
import type {
  Account,
  Action,
  Annotation,
  BasicDashboard,
  Cohort,
  Dashboard,
  Deletion,
  EarlyAccessFeature,
  EventDefinition,
  EventRecord,
  Experiment,
  FeatureFlag,
  FullRecording,
  Group,
  GroupType,
  Heatmap,
  HeatmapFrame,
  HeatmapPages,
  HeatmapWidths,
  IngestionWarning,
  Insight,
  ListedPerson,
  ListedProject,
  Page,
  Person,
  PersonalKey,
  Playlist,
  Project,
  PropertyDefinition,
  RecordingList,
  ViewedInsight,
} from './contract.ts'
import { ask, inProject } from './http.ts'

/** Every question a page asks, with the key under which its answer is kept. */
type Id = string | number
type Filters = Record<string, string | number | boolean | null | undefined>

export const me = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: async ({ signal }) => {
      try {
        return await ask<Account | null>('/api/users/@me/', { signal })
      } catch (error) {
        if (error instanceof ApiFailure && error.missing) return null
        throw error
      }
    },
    staleTime: 5 * 60_000,
  })

export const projects = () =>
  queryOptions({
    queryKey: ['projects'],
    queryFn: ({ signal }) => ask<Page<ListedProject>>('/api/projects/', { signal }),
    staleTime: 60_000,
  })

export const project = (id: Id) =>
  queryOptions({
    queryKey: ['project', String(id)],
    queryFn: ({ signal }) => ask<Project>(inProject(id, ''), { signal }),
    staleTime: 30_000,
  })

const listing =
  <T>(name: string, path: string) =>
  (id: Id, filters: Filters = {}) =>
    queryOptions({
      queryKey: [name, String(id), filters],
      queryFn: ({ signal }) => ask<T>(inProject(id, path), { query: filters, signal }),
      placeholderData: keepPreviousData,
    })

/** A list of this kind, asked for. */
export type Listing<T> = ReturnType<ReturnType<typeof listing<T>>>

export const events = listing<{ results: EventRecord[]; next: string | null }>('events', 'events/')
export const persons = listing<Page<ListedPerson>>('persons', 'persons/')
export const groups = listing<{ next: string | null; previous: string | null; results: Group[] }>('groups', 'groups/')
export const groupTypes = listing<GroupType[]>('group-types', 'groups_types/')
export const warnings = listing<{ results: IngestionWarning[] }>('warnings', 'ingestion_warnings/')
export const eventDefinitions = listing<Page<EventDefinition>>('event-definitions', 'event_definitions/')
export const propertyDefinitions = listing<Page<PropertyDefinition>>('property-definitions', 'property_definitions/')
export const recordings = listing<RecordingList>('recordings', 'session_recordings/')
export const heatmap = listing<Heatmap>('heatmap', 'heatmaps/')
export const heatmapPages = listing<HeatmapPages>('heatmap-pages', 'heatmaps/pages/')
export const heatmapWidths = listing<HeatmapWidths>('heatmap-widths', 'heatmaps/widths/')
export const heatmapFrame = listing<{ frame: HeatmapFrame | null }>('heatmap-frame', 'heatmaps/frame/')
export const playlists = listing<Page<Playlist>>('playlists', 'session_recording_playlists/')
export const actions = listing<Page<Action>>('actions', 'actions/')
export const annotations = listing<Page<Annotation>>('annotations', 'annotations/')
export const cohorts = listing<Page<Cohort>>('cohorts', 'cohorts/')
export const insights = listing<Page<Insight>>('insights', 'insights/')
export const lastViewed = listing<ViewedInsight[]>('last-viewed', 'insights/my_last_viewed/')
export const dashboards = listing<Page<BasicDashboard>>('dashboards', 'dashboards/')
export const experiments = listing<Page<Experiment>>('experiments', 'experiments/')
export const earlyAccessFeatures = listing<Page<EarlyAccessFeature>>('early-access', 'early_access_feature/')
export const featureFlags = listing<Page<FeatureFlag>>('feature-flags', 'feature_flags/')
export const deletions = listing<{ results: Deletion[] }>('deletions', 'deletions/')

const one =
  <T>(name: string, path: (item: Id) => string) =>
  (id: Id, item: Id) =>
    queryOptions({
      queryKey: [name, String(id), String(item)],
      queryFn: ({ signal }) => ask<T>(inProject(id, path(item)), { signal }),
    })

export const person = one<Person>('person', (item) => `persons/${item}/`)
export const event = one<EventRecord>('event', (item) => `events/${item}/`)
export const insight = one<Insight>('insight', (item) => `insights/${item}/`)
export const dashboard = one<Dashboard>('dashboard', (item) => `dashboards/${item}/`)
export const action = one<Action>('action', (item) => `actions/${item}/`)
export const cohort = one<Cohort>('cohort', (item) => `cohorts/${item}/`)
export const earlyAccessFeature = one<EarlyAccessFeature>(
  'early-access-feature',
  (item) => `early_access_feature/${encodeURIComponent(item)}/`,
)
export const featureFlag = one<FeatureFlag>('feature-flag', (item) => `feature_flags/${encodeURIComponent(item)}/`)
export const playlist = one<Playlist>('playlist', (item) => `session_recording_playlists/${item}/`)
export const playlistRecordings = one<RecordingList>(
  'playlist-recordings',
  (item) => `session_recording_playlists/${item}/recordings/`,
)
export const recording = one<FullRecording>('recording', (item) => `session_recordings/${encodeURIComponent(item)}/`)

export const personalKeys = () =>
  queryOptions({
    queryKey: ['personal-keys'],
    queryFn: ({ signal }) => ask<PersonalKey[]>('/api/personal_api_keys/', { signal }),
  })
