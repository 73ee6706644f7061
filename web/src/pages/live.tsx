import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { warnings } from '../api/queries.ts'
import type { IngestionWarning } from '../api/types.ts'
import { useDoors } from '../doors/use-doors.ts'
import { useProject } from '../frame/project.tsx'
import { ago, number, plural, timeOnly } from '../lib/format.ts'
import { eventName } from '../lib/names.ts'
import { type LiveEvent, useLive } from '../lib/use-live.ts'
import { Badge, Button, Segmented } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { PropertyTable } from '../ui/properties.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import './live.css'

type View = 'stream' | 'problems'

export function LivePage() {
  const project = useProject()
  const [paused, setPaused] = useState(false)
  const [view, setView] = useState<View>('stream')
  const live = useLive(project.id, paused)
  return (
    <Page
      title="Live"
      sub={`Events as they are stored, and those that are not, with the reason. Times in ${project.timezone}.`}
      actions={
        <>
          <Segmented
            label="View"
            value={view}
            onChange={setView}
            options={[
              { value: 'stream', label: 'Stream' },
              { value: 'problems', label: 'Dropped and mended' },
            ]}
          />
          {view === 'stream' && <Button onClick={() => setPaused(!paused)}>{paused ? 'Go on' : 'Pause'}</Button>}
        </>
      }
    >
      <div className="live-counts">
        <dl className="live-counts">
          <Count label="Events a second" value={number(Math.round(live.rate * 10) / 10)} />
          <Count label="Stored since you came" value={number(live.stored)} />
          <Count label="Dropped or mended" value={number(live.warned)} tone={live.warned > 0 ? 'warn' : undefined} />
        </dl>
        <span className="grow" />
        <Connection state={paused ? 'paused' : live.state} />
      </div>
      {view === 'stream' ? <Stream events={live.events} zone={project.timezone} /> : <Problems />}
    </Page>
  )
}

function Count({ label, value, tone }: { label: string; value: string; tone?: 'warn' | undefined }) {
  return (
    <div className="live-count">
      <dt className="tiny soft">{label}</dt>
      <dd className={tone ? 'live-warn' : ''}>{value}</dd>
    </div>
  )
}

function Connection({ state }: { state: string }) {
  const words: Record<string, string> = {
    connecting: 'Connecting',
    open: 'Listening',
    lost: 'Connection lost, trying again',
    paused: 'Paused',
  }
  return (
    <div className="row small soft" role="status">
      <span className={`dot dot-${state}`} />
      {words[state]}
    </div>
  )
}

function Stream({ events, zone }: { events: readonly LiveEvent[]; zone: string }) {
  const [open, setOpen] = useState<number | null>(null)
  if (events.length === 0)
    return (
      <EmptyState icon="live" title="Waiting for the next event">
        Whatever your product sends shows up here within a second or two.
      </EmptyState>
    )
  return (
    <ul className="stream">
      {events.map((event) => (
        <LiveRow
          key={event.key}
          event={event}
          zone={zone}
          open={open === event.key}
          onToggle={() => setOpen(open === event.key ? null : event.key)}
        />
      ))}
    </ul>
  )
}

function LiveRow({
  event,
  zone,
  open,
  onToggle,
}: {
  event: LiveEvent
  zone: string
  open: boolean
  onToggle: () => void
}) {
  const doors = useDoors()
  const dropped = event.outcome === 'dropped'
  const mended = !dropped && event.warnings.length > 0
  return (
    <li className={`stream-item ${dropped || mended ? 'stream-warn' : ''}`}>
      <button type="button" className="stream-row" aria-expanded={open} onClick={onToggle}>
        <time className="stream-time" dateTime={event.received_at}>
          {timeOnly(event.received_at, zone)}
        </time>
        <span className="stream-name truncate">{event.event === null ? '(no name)' : eventName(event.event)}</span>
        <span className="stream-who truncate soft">{event.distinct_id ?? '(no distinct id)'}</span>
        <span className="stream-what truncate soft mono">
          {String(event.properties.$pathname ?? event.properties.$current_url ?? '')}
        </span>
        {dropped && <Badge tone="warn">dropped</Badge>}
        {mended && <Badge tone="warn">mended</Badge>}
        <Icon name={open ? 'down' : 'right'} size={14} className="faint" />
      </button>
      {event.warnings.map((warning) => (
        <p key={warning.type} className="stream-reason">
          <span className="strong">{warning.title}.</span> {warning.happened}{' '}
          <span className="soft">{warning.fix}</span>
        </p>
      ))}
      {open && (
        <div className="stream-open">
          <PropertyTable properties={event.properties} />
          {event.person_id && (
            <Button small icon="persons" onClick={() => doors.open({ to: 'person', id: event.person_id as string })}>
              Open person
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

function Problems() {
  const project = useProject()
  const { data, error, isPending, refetch } = useQuery({ ...warnings(project.id), refetchInterval: 5_000 })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={5} height={44} />
  if (data.results.length === 0)
    return (
      <EmptyState icon="check" title="Nothing was dropped or changed">
        Every event so far was stored as it was sent.
      </EmptyState>
    )
  return (
    <ul className="stream">
      {data.results.map((warning) => (
        <Problem key={warning.type} warning={warning} zone={project.timezone} />
      ))}
    </ul>
  )
}

function Problem({ warning, zone }: { warning: IngestionWarning; zone: string }) {
  const [open, setOpen] = useState(false)
  return (
    <li className="stream-item">
      <button type="button" className="stream-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="grow truncate">
          <span className="strong">{warning.title ?? warning.type.replaceAll('_', ' ')}</span>
        </span>
        <span className="soft small">{plural(warning.count, 'time')}</span>
        <span className="soft small live-last">last {ago(warning.last_seen)}</span>
        <Icon name={open ? 'down' : 'right'} size={14} className="faint" />
      </button>
      {(warning.happened || warning.fix) && (
        <p className="stream-reason">
          {warning.happened} <span className="soft">{warning.fix}</span>
        </p>
      )}
      {open && (
        <ul className="stream-samples">
          {warning.samples.slice(0, 10).map((sample) => (
            <li
              key={`${sample.timestamp}${sample.uuid}${sample.event}${JSON.stringify(sample.details)}`}
              className="row small"
            >
              <time className="soft">{timeOnly(sample.timestamp, zone)}</time>
              <span>{sample.event ?? '(no name)'}</span>
              <span className="soft truncate">{sample.distinct_id ?? '(no distinct id)'}</span>
              <span className="soft mono tiny truncate">
                {Object.keys(sample.details).length > 0 ? JSON.stringify(sample.details) : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
