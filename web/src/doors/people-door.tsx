import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { recordings } from '../api/queries.ts'
import type { Json, Person, Playlist, Properties } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago, number, plural, valueText } from '../lib/format.ts'
import { personName } from '../lib/names.ts'
import { RecordingList } from '../recordings/recording-list.tsx'
import { Avatar, Button } from '../ui/controls.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { say, sayFailure } from '../ui/toast.tsx'
import type { Door } from './door.ts'
import { useDoors } from './use-doors.ts'

interface Actor {
  id: string
  name: string
  distinctIds: string[]
  properties: Properties
  createdAt: string | null
  sessions: string[]
}

const MOST = 100

/** The people behind a number, their recordings, and a way to keep them. */
export function PeopleDoor({ door }: { door: Extract<Door, { to: 'people' }> }) {
  const project = useProject()
  const [tab, setTab] = useState<'people' | 'recordings'>('people')
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['actors', String(project.id), door.source],
    queryFn: ({ signal }) => askActors(project.id, door.source, signal),
  })
  const sessions = data ? [...new Set(data.actors.flatMap((actor) => actor.sessions))] : []
  return (
    <div className="stack" style={{ gap: 16 }}>
      <div className="spread">
        <p className="soft small">
          {data ? `${plural(data.actors.length, 'person', 'people')}${data.more ? ', the first ones' : ''}` : 'Looking'}
        </p>
        <SaveAsPlaylist title={door.title} sessions={sessions} />
      </div>
      <Tabs
        label="Behind this number"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'people', label: 'People' },
          { value: 'recordings', label: 'Recordings' },
        ]}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={8} height={32} />
      ) : tab === 'people' ? (
        <People actors={data.actors} />
      ) : (
        <ActorRecordings sessions={sessions} actors={data.actors} />
      )}
    </div>
  )
}

function People({ actors }: { actors: Actor[] }) {
  const doors = useDoors()
  if (actors.length === 0)
    return (
      <EmptyState icon="persons" title="Nobody">
        No person stands behind this number.
      </EmptyState>
    )
  return (
    <div className="people">
      {actors.map((actor) => (
        <button
          key={actor.id}
          type="button"
          className="people-row"
          onClick={() => doors.open({ to: 'person', id: actor.id })}
        >
          <Avatar name={actor.name} size={32} />
          <span className="grow">
            <span className="truncate" style={{ display: 'block' }}>
              {actor.name}
            </span>
            <span className="truncate soft tiny" style={{ display: 'block' }}>
              {keyProperties(actor.properties) || actor.distinctIds[0]}
            </span>
          </span>
          <span className="soft tiny">{actor.createdAt ? `since ${ago(actor.createdAt)}` : ''}</span>
        </button>
      ))}
    </div>
  )
}

function ActorRecordings({ sessions, actors }: { sessions: string[]; actors: Actor[] }) {
  const project = useProject()
  const ids = actors.flatMap((actor) => actor.distinctIds).slice(0, 200)
  const filters =
    sessions.length > 0
      ? { session_ids: JSON.stringify(sessions.slice(0, 200)), date_from: '-90d' }
      : { distinct_ids: JSON.stringify(ids), date_from: '-30d' }
  const { data, error, isPending, refetch } = useQuery({ ...recordings(project.id, filters), enabled: ids.length > 0 })
  if (ids.length === 0) return <EmptyState icon="recordings" title="No recordings" />
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={5} height={36} />
  return <RecordingList recordings={data.results} empty="None of them was recorded." />
}

/** A playlist of exactly these sessions. */
function SaveAsPlaylist({ title, sessions }: { title: string; sessions: string[] }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const playlist = await ask<Playlist>(inProject(project.id, 'session_recording_playlists/'), {
        body: { name: title },
      })
      for (const session of sessions.slice(0, 100))
        await ask(
          inProject(
            project.id,
            `session_recording_playlists/${playlist.short_id}/recordings/${encodeURIComponent(session)}/`,
          ),
          { method: 'POST' },
        )
      say(`Saved ${plural(sessions.length, 'recording')} as a playlist`)
      await navigate({
        to: '/project/$projectId/playlists/$shortId',
        params: { ...params, shortId: playlist.short_id },
      })
    } catch (error) {
      sayFailure(error)
    }
    setBusy(false)
  }
  return (
    <Button
      small
      icon="playlists"
      onClick={save}
      busy={busy}
      disabled={sessions.length === 0}
      title={sessions.length === 0 ? 'None of these people was recorded' : `${number(sessions.length)} recordings`}
    >
      Save as playlist
    </Button>
  )
}

async function askActors(
  projectId: number,
  source: Json,
  signal: AbortSignal,
): Promise<{ actors: Actor[]; more: boolean }> {
  const query = { kind: 'ActorsQuery', source, select: ['actor', 'matched_recordings'], limit: MOST }
  const answer = await ask<{ results: unknown[][]; hasMore?: boolean }>(inProject(projectId, 'query/'), {
    body: { query },
    signal,
  })
  return { actors: answer.results.map(([cell, matched]) => actorOf(cell, matched)), more: answer.hasMore === true }
}

function actorOf(cell: unknown, matched: unknown): Actor {
  const person = (typeof cell === 'object' && cell !== null ? cell : { id: cell }) as Partial<Person> & {
    id: string
    group_key?: string
  }
  const properties = person.properties ?? {}
  const distinctIds = person.distinct_ids ?? []
  const name = person.name ?? person.group_key ?? properties.email ?? properties.name ?? distinctIds[0] ?? person.id
  const sessions = Array.isArray(matched)
    ? matched.map((item) => (item as { session_id?: string }).session_id).filter((id) => id !== undefined)
    : []
  return {
    id: person.uuid ?? String(person.id),
    name: personName({ name: valueText(name) }),
    distinctIds,
    properties,
    createdAt: person.created_at ?? null,
    sessions,
  }
}

const keyProperties = (properties: Properties): string =>
  Object.entries(properties)
    .filter(
      ([key, value]) =>
        !key.startsWith('$') && key !== 'email' && key !== 'name' && value !== null && typeof value !== 'object',
    )
    .slice(0, 3)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(' · ')
