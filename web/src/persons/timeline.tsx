import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { events } from '../api/queries.ts'
import type { EventRecord } from '../api/types.ts'
import { useDoors } from '../doors/use-doors.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { dayOnly, duration, minuteOnly, plural, timeOnly } from '../lib/format.ts'
import { eventName } from '../lib/names.ts'
import { Button } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import './timeline.css'

/** What somebody did, newest first, a block for each visit. */
export function Timeline({
  personId,
  limit = 100,
  recorded = new Set(),
}: {
  personId: string
  limit?: number
  recorded?: ReadonlySet<string>
}) {
  const project = useProject()
  const [wanted, setWanted] = useState(limit)
  const { data, error, isPending, isFetching, refetch } = useQuery(
    events(project.id, { person_id: personId, limit: wanted }),
  )
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={6} />
  if (data.results.length === 0)
    return (
      <EmptyState icon="live" title="No events">
        This person has done nothing yet, or the events were deleted.
      </EmptyState>
    )
  return (
    <div className="timeline">
      {sessionsOf(data.results).map((session) => (
        <Session key={session.key} session={session} zone={project.timezone} recorded={recorded.has(session.id)} />
      ))}
      {data.next && wanted < 1_000 && (
        <Button onClick={() => setWanted(Math.min(wanted + 200, 1_000))} busy={isFetching}>
          Show more
        </Button>
      )}
    </div>
  )
}

interface Session {
  key: string
  id: string
  events: EventRecord[]
}

const GAP_MS = 30 * 60_000

/** By session id where the SDK sends one, else by half an hour of silence. */
export function sessionsOf(events: readonly EventRecord[]): Session[] {
  const sessions: Session[] = []
  for (const event of events) {
    const id = typeof event.properties.$session_id === 'string' ? event.properties.$session_id : ''
    const last = sessions.at(-1)
    const lastTime = last?.events.at(-1)?.timestamp
    const near = lastTime !== undefined && Date.parse(lastTime) - Date.parse(event.timestamp) < GAP_MS
    if (last && (id === '' || last.id === '' ? near && id === last.id : id === last.id)) last.events.push(event)
    else sessions.push({ key: event.id, id, events: [event] })
  }
  return sessions
}

function Session({ session, zone, recorded }: { session: Session; zone: string; recorded: boolean }) {
  const params = useProjectParams()
  const doors = useDoors()
  const newest = session.events[0] as EventRecord
  const oldest = session.events.at(-1) as EventRecord
  const seconds = (Date.parse(newest.timestamp) - Date.parse(oldest.timestamp)) / 1000
  return (
    <section className="session">
      <header className="session-head">
        <span className="strong small">{dayOnly(oldest.timestamp, zone)}</span>
        <span className="soft tiny">
          {[
            `${minuteOnly(oldest.timestamp, zone)}${seconds >= 60 ? ` to ${minuteOnly(newest.timestamp, zone)}` : ''}`,
            plural(session.events.length, 'event'),
            ...(seconds >= 1 ? [duration(seconds)] : []),
          ].join(' · ')}
        </span>
        <span className="grow" />
        {recorded && (
          <Link
            to="/project/$projectId/recordings/$recordingId"
            params={{ ...params, recordingId: session.id }}
            className="button button-plain button-small"
          >
            <Icon name="recordings" size={15} /> Replay
          </Link>
        )}
      </header>
      <ol>
        {session.events.map((event) => (
          <li key={event.id}>
            <button type="button" className="session-event" onClick={() => doors.open({ to: 'event', id: event.id })}>
              <time className="faint tiny" dateTime={event.timestamp}>
                {timeOnly(event.timestamp, zone)}
              </time>
              <span className="truncate">{eventName(event.event)}</span>
              <span className="soft tiny mono truncate">{detailOf(event)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

const detailOf = ({ properties }: EventRecord): string =>
  String(
    properties.$pathname ?? properties.$current_url ?? properties.$screen_name ?? properties.$survey_response ?? '',
  )
