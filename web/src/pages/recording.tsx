import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { events, playlistRecordings, playlists, recording as recordingQuery } from '../api/queries.ts'
import type { EventRecord, Recording } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { clock, dateTime, plural } from '../lib/format.ts'
import { eventName, personName } from '../lib/names.ts'
import type { PlayerHandle } from '../recordings/player.tsx'
import { Button } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { MenuItem, Popover } from '../ui/popover.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { say, sayFailure } from '../ui/toast.tsx'
import '../persons/timeline.css'
import './recording.css'

const Player = lazy(() => import('../recordings/player.tsx').then((module) => ({ default: module.Player })))

export function RecordingPage() {
  const project = useProject()
  const { recordingId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery(recordingQuery(project.id, recordingId))
  if (error)
    return (
      <Page title="Recording">
        <ErrorState error={error} retry={() => refetch()} />
      </Page>
    )
  if (!data)
    return (
      <Page title="Recording" wide>
        <Skeleton height={480} radius={8} />
      </Page>
    )
  return <Known key={recordingId} recording={data} />
}

function Known({ recording }: { recording: Recording }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { playlist } = useSearch({ strict: false }) as { playlist?: string }
  const player = useRef<PlayerHandle>(null)
  const [now, setNow] = useState(0)
  const name = recording.person ? personName(recording.person) : recording.distinct_id
  const happened = useQuery(
    events(project.id, {
      distinct_id: recording.distinct_id,
      after: new Date(Date.parse(recording.start_time) - 1000).toISOString(),
      before: new Date(Date.parse(recording.end_time) + 1000).toISOString(),
      limit: 500,
    }),
  )
  const list = useQuery({ ...playlistRecordings(project.id, playlist ?? ''), enabled: playlist !== undefined })
  const next = nextOf(list.data?.results ?? [], recording.id)
  const began = Date.parse(recording.start_time)
  const marks = [...(happened.data?.results ?? [])].reverse()

  useEffect(() => {
    if (recording.viewed) return
    ask(inProject(project.id, `session_recordings/${encodeURIComponent(recording.id)}/`), {
      method: 'PATCH',
      body: { viewed: true },
    })
      .then(() => client.invalidateQueries({ queryKey: ['recordings'] }))
      .catch(() => {})
  }, [client, project.id, recording])

  useEffect(() => {
    if (!next) return
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (event.key.toLowerCase() === 'n' && !typing && !event.ctrlKey && !event.metaKey)
        void navigate({
          to: '/project/$projectId/recordings/$recordingId',
          params: { ...params, recordingId: next },
          search: { playlist } as never,
        })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [next, navigate, params, playlist])

  return (
    <Page
      title={name}
      wide
      sub={`${dateTime(recording.start_time, project.timezone)} ${project.timezone} · ${clock(recording.recording_duration)} · ${plural(recording.click_count, 'click')}`}
      actions={
        <>
          {recording.person && (
            <Link
              to="/project/$projectId/persons/$personId"
              params={{ ...params, personId: recording.person.uuid }}
              className="button button-plain"
            >
              <Icon name="persons" size={16} /> Person
            </Link>
          )}
          <AddToPlaylist recording={recording} />
          {next && (
            <Link
              to="/project/$projectId/recordings/$recordingId"
              params={{ ...params, recordingId: next }}
              search={{ playlist } as never}
              className="button button-primary"
            >
              Next <kbd>N</kbd>
            </Link>
          )}
        </>
      }
    >
      <div className="recording">
        <Suspense fallback={<Skeleton height={480} radius={8} />}>
          <Player
            ref={player}
            recordingId={recording.id}
            marks={marks.map(({ id, event, timestamp }) => ({
              id,
              name: eventName(event),
              at: Date.parse(timestamp) - began,
            }))}
            onTime={setNow}
          />
        </Suspense>
        <aside className="recording-events" aria-label="Events in this recording">
          <h2>Events</h2>
          {happened.error ? (
            <ErrorState error={happened.error} />
          ) : happened.isPending ? (
            <SkeletonRows rows={8} />
          ) : marks.length === 0 ? (
            <EmptyState icon="live" title="No events in this time" />
          ) : (
            <EventList marks={marks} began={began} now={now} onSeek={(ms) => player.current?.seek(ms)} />
          )}
        </aside>
      </div>
    </Page>
  )
}

function EventList({
  marks,
  began,
  now,
  onSeek,
}: {
  marks: readonly EventRecord[]
  began: number
  now: number
  onSeek: (ms: number) => void
}) {
  const past = marks.filter(({ timestamp }) => Date.parse(timestamp) - began <= now).length
  return (
    <ol>
      {marks.map((event, index) => {
        const at = Date.parse(event.timestamp) - began
        return (
          <li key={event.id}>
            <button
              type="button"
              className={`session-event ${index === past - 1 ? 'recording-now' : ''}`}
              onClick={() => onSeek(Math.max(0, at - 1_000))}
            >
              <span className="faint tiny">{clock(at / 1000)}</span>
              <span className="truncate">{eventName(event.event)}</span>
              <span className="soft tiny mono truncate">{String(event.properties.$pathname ?? '')}</span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}

const nextOf = (list: readonly Recording[], id: string): string | undefined => {
  const index = list.findIndex((other) => other.id === id)
  return index < 0 ? undefined : list[index + 1]?.id
}

function AddToPlaylist({ recording }: { recording: Recording }) {
  const project = useProject()
  const { data } = useQuery({ ...playlists(project.id, { limit: 50 }), retry: false })
  const add = async (shortId: string, name: string) => {
    try {
      await ask(
        inProject(project.id, `session_recording_playlists/${shortId}/recordings/${encodeURIComponent(recording.id)}/`),
        { method: 'POST' },
      )
      say(`Added to ${name}`)
    } catch (error) {
      sayFailure(error)
    }
  }
  return (
    <Popover
      label="Playlists"
      align="right"
      trigger={(props) => (
        <Button icon="playlists" {...props}>
          Add to playlist
        </Button>
      )}
    >
      {(close) => (
        <div className="menu">
          {data?.results.map((playlist) => {
            const name = playlist.name || playlist.derived_name || 'Untitled'
            return (
              <MenuItem
                key={playlist.short_id}
                onClick={() => {
                  close()
                  void add(playlist.short_id, name)
                }}
              >
                <span className="truncate">{name}</span>
              </MenuItem>
            )
          })}
          {!data?.results.length && <p className="picker-none">There is no playlist yet.</p>}
        </div>
      )}
    </Popover>
  )
}
