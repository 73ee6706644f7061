import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Playlist } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { recordings } from '../../api/queries.ts'
import { plural } from '../../lib/format.ts'
import { rangeProblem } from '../../lib/ranges.ts'
import { Button } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { dimmedWhile, EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { Unfinished, whyUnfinished } from '../insights/index.ts'
import { RecordingFilterBar } from './filter-bar.tsx'
import { askedOf, DEFAULT_FROM, isNarrowed, PAGE_SIZE, playlistFilters } from './question.ts'
import { RecordingList } from './recording-list.tsx'
import type { RecordingSearch } from './search.ts'

const MOST = 1_000

export function RecordingsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/recordings' })
  const search = useSearch({ from: '/project/$projectId/recordings' })
  const change = (next: Partial<RecordingSearch>) =>
    void navigate({
      search: (was) => ({ ...was, ...next }),
      replace: true,
      resetScroll: false,
    })
  const { from = DEFAULT_FROM, to, filters = [] } = search
  const dates = rangeProblem({ from, to }, project.timezone)
  const whyNot = dates?.text ?? whyUnfinished(filters)
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...recordings(project.id, askedOf(search)),
    enabled: !dates,
  })
  const save = useMutation({
    mutationFn: () =>
      ask<Playlist>(inProject(project.id, 'session_recording_playlists/'), {
        body: { name: 'Filtered recordings', filters: playlistFilters(search) },
      }),
    onSuccess: async ({ short_id: shortId }) => {
      say('Saved as a playlist')
      await navigate({ to: '/project/$projectId/playlists/$shortId', params: { ...params, shortId } })
    },
    onError: sayFailure,
  })
  const { many = PAGE_SIZE } = search
  return (
    <Page
      title="Recordings"
      sub={data && !dates ? `${plural(data.results.length, 'recording')}${data.has_next ? ' and more' : ''}` : ' '}
      actions={
        <Button icon="playlists" onClick={() => (whyNot ? say(whyNot, 'bad') : save.mutate())} busy={save.isPending}>
          Save as playlist
        </Button>
      }
    >
      <RecordingFilterBar search={search} zone={project.timezone} onChange={change} />
      <Unfinished filters={filters} />
      {dates ? (
        <EmptyState icon="calendar" title="No result for these dates">
          {dates.text}
        </EmptyState>
      ) : error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={8} height={36} />
      ) : (
        <div {...dimmedWhile(isPlaceholderData, 'stack')} style={{ gap: 16 }}>
          <RecordingList
            recordings={data.results}
            empty={
              isNarrowed(search)
                ? 'No recordings in this period match all filters. Remove a filter or choose a longer period.'
                : 'Turn on session recording in the SDK (disable_session_recording: false). Sessions appear here within a minute.'
            }
          />
          {data.has_next && many < MOST && (
            <div className="row" style={{ justifyContent: 'center' }}>
              <Button onClick={() => change({ many: many + PAGE_SIZE })} busy={isPlaceholderData}>
                Show more
              </Button>
            </div>
          )}
        </div>
      )}
    </Page>
  )
}
