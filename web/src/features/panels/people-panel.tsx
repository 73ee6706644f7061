import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Cohort, Playlist } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { recordings } from '../../api/queries.ts'
import { capitalised, number, plural } from '../../lib/format.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { Button } from '../../ui/controls.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { RecordingList } from '../recordings/index.ts'
import type { Actor } from './actors.ts'
import type { Panel } from './panel.ts'
import { PeopleCsv } from './people-csv.tsx'
import { PeopleList, PeopleSkeleton, useActors, useActorWords } from './people-list.tsx'
import { usePanels } from './use-panels.ts'

/** As many as an address may name, and as the API takes at once. */
const MOST = 100

/** The people behind a number, their recordings, and a way to keep them. */
export function PeoplePanel({ panel }: { panel: Extract<Panel, { to: 'people' }> }) {
  const project = useProject()
  const { change } = usePanels()
  const { tab = 'people' } = panel
  const { actors, known, error, refetch, more } = useActors(panel.source)
  const words = useActorWords(actors)
  const asked = sessionsOf(actors)
  const found = useQuery({ ...recordings(project.id, asked ?? {}), enabled: asked !== null })
  // Most sessions have no recording: only what there is to see is counted and kept.
  const seen = known && asked === null ? [] : found.data?.results
  return (
    <div className="stack" style={{ gap: 16 }}>
      <div className="spread">
        <p className="soft small">
          {known ? `${more ? 'The first ' : ''}${plural(actors.length, ...words)}` : 'Loading'}
        </p>
        <span className="row-wrap">
          <PeopleCsv title={panel.title} source={panel.source} />
          <SaveAsCohort title={panel.title} source={panel.source} />
          <SaveAsPlaylist title={panel.title} sessions={seen?.map(({ id }) => id)} />
        </span>
      </div>
      <Tabs
        label="People and recordings"
        value={tab}
        onChange={(next) => change({ ...panel, tab: next })}
        tabs={[
          { value: 'people', label: capitalised(words[1]) },
          { value: 'recordings', label: seen ? `Recordings (${number(seen.length)})` : 'Recordings' },
        ]}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : !known ? (
        <PeopleSkeleton />
      ) : tab === 'people' ? (
        <PeopleList actors={actors} more={more} />
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => found.refetch()} />
      ) : seen ? (
        <RecordingList recordings={seen} empty="None of these sessions were recorded." />
      ) : (
        <PeopleSkeleton />
      )}
    </div>
  )
}

/** The sessions in which they did it; where there are none (they dropped off), their latest recordings. */
function sessionsOf(actors: readonly Actor[]): Record<string, string | number> | null {
  const sessions = [...new Set(actors.flatMap((actor) => actor.sessions))].slice(0, MOST)
  if (sessions.length > 0) return { session_ids: JSON.stringify(sessions), date_from: '-90d', limit: MOST }
  const ids = actors.flatMap((actor) => actor.distinctIds).slice(0, MOST)
  return ids.length > 0 ? { distinct_ids: JSON.stringify(ids), date_from: LAST_30_DAYS, limit: MOST } : null
}

/** A cohort of everybody behind the number, as of now. */
function SaveAsCohort({ title, source }: { title: string; source: unknown }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: () =>
      ask<Cohort>(inProject(project.id, 'cohorts/'), {
        body: { name: title, is_static: true, query: { kind: 'ActorsQuery', source } },
      }),
    onSuccess: async ({ id, count }) => {
      say(`Saved ${plural(count ?? 0, 'person', 'people')} as a cohort`)
      await navigate({ to: '/project/$projectId/cohorts/$cohortId', params: { ...params, cohortId: String(id) } })
    },
    onError: sayFailure,
  })
  return (
    <Button small icon="persons" onClick={() => save.mutate()} busy={save.isPending}>
      Save as cohort
    </Button>
  )
}

/** A playlist of exactly these recordings. `undefined`: not known yet. */
function SaveAsPlaylist({ title, sessions }: { title: string; sessions: string[] | undefined }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const save = async (ids: string[]) => {
    setBusy(true)
    try {
      const playlist = await ask<Playlist>(inProject(project.id, 'session_recording_playlists/'), {
        body: { name: title },
      })
      await ask(inProject(project.id, `session_recording_playlists/${playlist.short_id}/recordings/bulk_add/`), {
        body: { session_recording_ids: ids },
      })
      say(`Saved ${plural(ids.length, 'recording')} as a playlist`)
      await navigate({
        to: '/project/$projectId/playlists/$shortId',
        params: { ...params, shortId: playlist.short_id },
      })
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  const none = !sessions || sessions.length === 0
  return (
    <Button
      small
      icon="playlists"
      onClick={() => sessions && save(sessions)}
      busy={busy}
      disabled={none}
      title={none ? 'None of these sessions were recorded' : plural(sessions.length, 'recording')}
    >
      Save as playlist
    </Button>
  )
}
