import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventRecord } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { events } from '../../api/queries.ts'
import { asText } from '../../lib/as-text.ts'
import { dayOnly, duration, minuteOnly, plural, timeOnly } from '../../lib/format.ts'
import { eventName, personName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { usePanels } from '../panels/index.ts'
import './timeline.css'

/** Events of one or several persons, newest first, grouped by session. */
export function Timeline({
  of,
  empty = 'This person has no events, or they were deleted.',
  limit = 100,
  recorded = new Set(),
  named,
}: {
  /** Which events, as the list of events is asked. */
  of: Record<string, string>
  empty?: string
  limit?: number
  recorded?: ReadonlySet<string>
  /** Says of each visit whose it was. */
  named?: boolean
}) {
  const project = useProject()
  const [wanted, setWanted] = useState(limit)
  const { data, error, isPending, isFetching, refetch } = useQuery(events(project.id, { ...of, limit: wanted }))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={6} />
  if (data.results.length === 0)
    return (
      <EmptyState icon="live" title="No events">
        {empty}
      </EmptyState>
    )
  return (
    <div className="visits">
      {sessionsOf(data.results).map((session) => (
        <Session
          key={session.key}
          session={session}
          zone={project.timezone}
          recorded={recorded.has(session.id)}
          named={named}
        />
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

/** By session id where the SDK sends one, even when sessions overlap; else split by 30 minutes of inactivity. */
function sessionsOf(events: readonly EventRecord[]): Session[] {
  const sessions: Session[] = []
  const open = new Map<string, Session>()
  for (const event of events) {
    const id = typeof event.properties.$session_id === 'string' ? event.properties.$session_id : ''
    const key = id || `of ${event.distinct_id}`
    const known = open.get(key)
    const lastTime = known?.events.at(-1)?.timestamp ?? ''
    if (known && (id !== '' || Date.parse(lastTime) - Date.parse(event.timestamp) < GAP_MS)) known.events.push(event)
    else {
      const begun = { key: event.id, id, events: [event] }
      open.set(key, begun)
      sessions.push(begun)
    }
  }
  return sessions
}

function Session({
  session,
  zone,
  recorded,
  named,
}: {
  session: Session
  zone: string
  recorded: boolean
  named: boolean | undefined
}) {
  const params = useProjectParams()
  const panels = usePanels()
  const newest = session.events[0] as EventRecord
  const oldest = session.events.at(-1) as EventRecord
  const seconds = (Date.parse(newest.timestamp) - Date.parse(oldest.timestamp)) / 1000
  return (
    <section className="session">
      <header className="session-head">
        {named && <Who event={newest} />}
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
            <button type="button" className="session-event" onClick={() => panels.open({ to: 'event', id: event.id })}>
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

function Who({ event: { person, distinct_id } }: { event: EventRecord }) {
  const panels = usePanels()
  if (!person) return <span className="small truncate">{distinct_id}</span>
  return (
    <button
      type="button"
      className="session-who small truncate"
      onClick={() => panels.open({ to: 'person', id: person.uuid })}
    >
      {personName(person)}
    </button>
  )
}

const detailOf = ({ properties }: EventRecord): string =>
  asText(
    properties.$pathname ?? properties.$current_url ?? properties.$screen_name ?? properties.$survey_response ?? '',
  )
