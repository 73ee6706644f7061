import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { FullRecording, Recording } from '../../api/contract.ts'
import { inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { events, playlistRecordings, recording as recordingQuery } from '../../api/queries.ts'
import { clock, dateTime, plural } from '../../lib/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AddToPlaylist } from '../playlists/index.ts'
import { type Mark, marksOf } from './marks.ts'
import type { PlayerHandle } from './player.tsx'
import { NO_LINES, type RecordedLines } from './recorded-lines.ts'
import { ConsoleLines, RequestLines } from './recorded-lines-list.tsx'
import { RecordingEvents } from './recording-events.tsx'
import { RecordingList, recordingName } from './recording-list.tsx'
import { RecordingMenu } from './recording-menu.tsx'
import { isTyping } from './use-player-keys.ts'
import type { PlayerPlace } from './use-replay.ts'
import { useWatched } from './use-watched.ts'
import './recording-page.css'

const Player = lazy(() => import('./player.tsx').then((module) => ({ default: module.Player })))

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
        <div className="recording">
          <Skeleton height="var(--player)" radius={8} />
          <Skeleton height={240} radius={8} />
        </div>
      </Page>
    )
  return <Known key={recordingId} recording={data} />
}

function Known({ recording }: { recording: FullRecording }) {
  const project = useProject()
  const params = useProjectParams()
  const { playlist, t, speed } = useSearch({ from: '/project/$projectId/recordings/$recordingId' })
  const [lines, setLines] = useState(NO_LINES)
  const keepPlace = usePlaceInAddress()
  const player = useRef<PlayerHandle>(null)
  const [now, setNow] = useState(0)
  const happened = useHappened(recording)
  const list = useQuery({ ...playlistRecordings(project.id, playlist ?? ''), enabled: playlist !== undefined })
  const next = nextOf(list.data?.results ?? [], recording.id)
  const path = inProject(project.id, `session_recordings/${encodeURIComponent(recording.id)}/`)
  const { setWatched } = useWatched(recording, path)
  useNextByKey(next?.id, playlist)

  const nextLink = next && (
    <Link
      to="/project/$projectId/recordings/$recordingId"
      params={{ ...params, recordingId: next.id }}
      search={{ playlist }}
      className="button button-primary recording-next"
      title={`The next in the playlist, ${clock(next.recording_duration)}`}
    >
      <span>Next</span>
      <span className="truncate recording-next-name">{recordingName(next)}</span>
      <kbd>N</kbd>
    </Link>
  )
  return (
    <Page
      title={recordingName(recording)}
      wide
      sub={`${dateTime(recording.start_time, project.timezone)} ${project.timezone} · ${clock(recording.recording_duration)} · ${plural(recording.click_count, 'click')}`}
      actions={
        <>
          {recording.person && (
            <Link
              to="/project/$projectId/persons/$personId"
              params={{ ...params, personId: recording.person.uuid }}
              className="button button-plain"
              aria-label="Person"
            >
              <Icon name="persons" size={16} /> <span className="narrow-hidden">Person</span>
            </Link>
          )}
          <AddToPlaylist recordingId={recording.id} />
          <RecordingMenu recording={recording} path={path} setWatched={setWatched} />
          {nextLink}
        </>
      }
    >
      <div className="recording">
        <Suspense fallback={<Skeleton height="var(--player)" radius={8} />}>
          <Player
            ref={player}
            source={`${path}snapshots/`}
            blocks={recording.blocks}
            marks={happened.marks}
            start={{
              ...(t === undefined ? {} : { at: t * 1000 }),
              ...(speed === undefined ? {} : { speed: String(speed) }),
            }}
            onTime={setNow}
            onMoved={keepPlace}
            onLines={setLines}
            atEnd={nextLink || undefined}
          />
        </Suspense>
        <Side
          happened={happened}
          lines={lines}
          now={now}
          onSeek={(ms) => player.current?.seek(ms)}
          playlist={playlist}
          others={list.data?.results ?? []}
          current={recording.id}
        />
      </div>
      <p className="tiny soft recording-keys">
        <span>
          <kbd>Space</kbd> plays and pauses
        </span>
        <span>
          <kbd>←</kbd> <kbd>→</kbd> jump 5 seconds
        </span>
        {playlist && (
          <span>
            <kbd>N</kbd> opens the next in the playlist
          </span>
        )}
      </p>
    </Page>
  )
}

interface Happened {
  marks: readonly Mark[]
  error: unknown
  isPending: boolean
}

function Side({
  happened,
  lines,
  now,
  onSeek,
  playlist,
  others,
  current,
}: {
  happened: Happened
  lines: RecordedLines
  now: number
  onSeek: (ms: number) => void
  playlist: string | undefined
  others: readonly Recording[]
  current: string
}) {
  const [view, setView] = useState<'events' | 'console' | 'network' | 'playlist'>('events')
  const place = others.findIndex(({ id }) => id === current) + 1
  return (
    <aside className="recording-side" aria-label="Events in this recording">
      <Tabs
        label="Recording details"
        value={view}
        onChange={setView}
        tabs={[
          { value: 'events', label: `Events${happened.marks.length > 0 ? ` · ${happened.marks.length}` : ''}` },
          ...(lines.console.length > 0
            ? [{ value: 'console' as const, label: `Console · ${lines.console.length}` }]
            : []),
          ...(lines.requests.length > 0
            ? [{ value: 'network' as const, label: `Network · ${lines.requests.length}` }]
            : []),
          ...(playlist
            ? [
                {
                  value: 'playlist' as const,
                  label: place > 0 ? `Playlist · ${place} of ${others.length}` : 'Playlist',
                },
              ]
            : []),
        ]}
      />
      <div className="recording-side-body">
        {view === 'playlist' && playlist ? (
          <RecordingList recordings={others} playlist={playlist} current={current} empty="The playlist is empty." />
        ) : view === 'console' ? (
          <ConsoleLines lines={lines.console} onSeek={onSeek} />
        ) : view === 'network' ? (
          <RequestLines lines={lines.requests} onSeek={onSeek} />
        ) : happened.error ? (
          <ErrorState error={happened.error} />
        ) : happened.isPending ? (
          <SkeletonRows rows={8} />
        ) : happened.marks.length === 0 ? (
          <EmptyState icon="live" title="No events">
            The session was recorded, but it sent no events.
          </EmptyState>
        ) : (
          <RecordingEvents marks={happened.marks} now={now} onSeek={onSeek} />
        )}
      </div>
    </aside>
  )
}

/** The events of the recorded person, from the start of the recording to its end. */
function useHappened(recording: Recording): Happened {
  const project = useProject()
  const { data, error, isPending } = useQuery(
    events(project.id, {
      distinct_id: recording.distinct_id,
      after: new Date(Date.parse(recording.start_time) - 1000).toISOString(),
      before: new Date(Date.parse(recording.end_time) + 1000).toISOString(),
      limit: 1_000,
    }),
  )
  return { marks: marksOf(data?.results ?? [], Date.parse(recording.start_time)), error, isPending }
}

/** The address says where one is, so that it can be sent to somebody: when one stops or moves, not all the time. */
function usePlaceInAddress(): (place: PlayerPlace) => void {
  const navigate = useNavigate({ from: '/project/$projectId/recordings/$recordingId' })
  return useCallback(
    ({ at, speed }: PlayerPlace) =>
      void navigate({
        search: (was) => ({
          ...was,
          t: at >= 1000 ? Math.floor(at / 1000) : undefined,
          speed: speed === '1' ? undefined : Number(speed),
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
}

function useNextByKey(next: string | undefined, playlist: string | undefined): void {
  const params = useProjectParams()
  const navigate = useNavigate()
  const { projectId } = params
  useEffect(() => {
    if (!next) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'n' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      void navigate({
        to: '/project/$projectId/recordings/$recordingId',
        params: { projectId, recordingId: next },
        search: { playlist },
      })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [next, navigate, projectId, playlist])
}

const nextOf = (list: readonly Recording[], id: string): Recording | undefined => {
  const index = list.findIndex((other) => other.id === id)
  return index < 0 ? undefined : list[index + 1]
}
