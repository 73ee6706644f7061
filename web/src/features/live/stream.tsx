import { useState } from 'react'
import type { LiveEvent } from '../../api/use-live.ts'
import { asText } from '../../lib/as-text.ts'
import { timeOnly } from '../../lib/format.ts'
import { eventName, personName } from '../../lib/names.ts'
import { Badge, Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PropertyTable } from '../../ui/properties.tsx'
import { usePanels } from '../panels/index.ts'

export const isTrouble = ({ outcome, warnings }: LiveEvent): boolean => outcome === 'dropped' || warnings.length > 0

/** Whether an event is one that somebody looks for, by name, id, path or reason. */
export function fits(event: LiveEvent, search: string, name = ''): boolean {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return true
  const text = [
    event.event ?? '',
    eventName(event.event ?? ''),
    event.distinct_id ?? '',
    name,
    asText(event.properties.$pathname ?? event.properties.$current_url ?? ''),
    ...event.warnings.map(({ title }) => title),
  ]
  return text.join('\n').toLowerCase().includes(wanted)
}

/** One line an event; a click shows what came with it. */
export function Stream({
  label,
  events,
  names,
  zone,
}: {
  label: string
  events: readonly LiveEvent[]
  /** Of persons, by their ids. */
  names: ReadonlyMap<string, string>
  zone: string
}) {
  const [open, setOpen] = useState<number | null>(null)
  return (
    <ul className="stream" aria-label={label}>
      {events.map((event) => (
        <StreamRow
          key={event.key}
          event={event}
          name={names.get(event.person_id ?? '')}
          zone={zone}
          open={open === event.key}
          onToggle={() => setOpen(open === event.key ? null : event.key)}
        />
      ))}
    </ul>
  )
}

function StreamRow({
  event,
  name,
  zone,
  open,
  onToggle,
}: {
  event: LiveEvent
  name: string | undefined
  zone: string
  open: boolean
  onToggle: () => void
}) {
  const panels = usePanels()
  const dropped = event.outcome === 'dropped'
  return (
    <li className={`stream-item ${isTrouble(event) ? 'stream-warn' : ''}`}>
      <button type="button" className="stream-row" aria-expanded={open} onClick={onToggle}>
        <time className="stream-time" dateTime={event.received_at}>
          {timeOnly(event.received_at, zone)}
        </time>
        <span className="stream-name truncate">{event.event === null ? '(no name)' : eventName(event.event)}</span>
        <span className="stream-who truncate soft" title={event.distinct_id ?? undefined}>
          {name ? personName({ name }) : (event.distinct_id ?? '(no distinct id)')}
        </span>
        <span className="stream-what truncate soft mono">
          {asText(event.properties.$pathname ?? event.properties.$current_url ?? '')}
        </span>
        {dropped && <Badge tone="warn">dropped</Badge>}
        {!dropped && event.warnings.length > 0 && <Badge tone="warn">changed</Badge>}
        <Icon name={open ? 'down' : 'right'} size={14} className="faint" />
      </button>
      {event.warnings.map((warning) => (
        <div key={warning.type} className="stream-reason">
          <p>
            <span className="strong">{warning.title}.</span> {warning.happened}
          </p>
          <p className="stream-fix">{warning.fix}</p>
        </div>
      ))}
      {open && (
        <div className="stream-open">
          <PropertyTable properties={event.properties} />
          {event.person_id && (
            <Button small icon="persons" onClick={() => panels.open({ to: 'person', id: event.person_id as string })}>
              Open person
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
