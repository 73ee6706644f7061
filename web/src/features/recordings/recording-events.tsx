import { useEffect, useRef, useState } from 'react'
import { clock } from '../../lib/format.ts'
import type { Mark } from './marks.ts'

const SEARCH_FROM = 12

/** The events in order; a click seeks to one. The current event is highlighted and kept in view. */
export function RecordingEvents({
  marks,
  now,
  onSeek,
}: {
  marks: readonly Mark[]
  now: number
  onSeek: (ms: number) => void
}) {
  const [search, setSearch] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const wanted = search.trim().toLowerCase()
  const shown = marks.filter(({ name, detail }) => `${name} ${detail}`.toLowerCase().includes(wanted))
  const current = shown.findLast(({ at }) => at <= now)?.id

  useEffect(() => {
    const row = current ? list.current?.querySelector<HTMLElement>('[aria-current="true"]') : null
    const box = row?.closest<HTMLElement>('.recording-side-body')
    if (!row || !box) return
    // Only the list moves, never the page.
    const above = row.offsetTop - box.offsetTop
    if (above < box.scrollTop || above > box.scrollTop + box.clientHeight - 48) box.scrollTo({ top: above - 80 })
  }, [current])

  return (
    <>
      {marks.length >= SEARCH_FROM && (
        <div className="recording-search">
          <input
            className="input"
            placeholder="Search events"
            aria-label="Search events"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
      )}
      <ol ref={list}>
        {shown.map(({ id, name, at, tone, detail }) => (
          <li key={id}>
            <button
              type="button"
              className={`recording-event ${id === current ? 'recording-now' : ''}`}
              aria-current={id === current}
              onClick={() => onSeek(Math.max(0, at - 1_000))}
            >
              <span className="faint tiny">{clock(at / 1000)}</span>
              <span className={`recording-dot timeline-${tone}`} aria-hidden="true" />
              <span className="truncate">{name}</span>
              <span className="soft tiny mono truncate recording-event-detail">{detail}</span>
            </button>
          </li>
        ))}
      </ol>
      {shown.length === 0 && <p className="picker-none">No matches.</p>}
    </>
  )
}
