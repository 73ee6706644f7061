import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useProject } from '../../api/project.tsx'
import { type Live, type LiveEvent, useLive } from '../../api/use-live.ts'
import { number, plural } from '../../lib/format.ts'
import { Button, Checkbox, Segmented } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Problems } from './problems.tsx'
import { useRecent } from './recent.ts'
import { fits, isTrouble, Stream } from './stream.tsx'
import { usePersonNames } from './use-person-names.ts'
import '../../ui/dot.css'
import './live-page.css'

export function LivePage() {
  const project = useProject()
  const navigate = useNavigate({ from: '/project/$projectId/live' })
  const { view = 'stream' } = useSearch({ from: '/project/$projectId/live' })
  const [paused, setPaused] = useState(false)
  const [search, setSearch] = useState('')
  const [troubleOnly, setTroubleOnly] = useState(false)
  const live = useLive(project.id, paused)
  return (
    <Page
      title="Live"
      sub={`Events as they arrive; those that were dropped or changed say why. Times in ${project.timezone}.`}
      actions={
        <>
          <Segmented
            label="View"
            value={view}
            onChange={(next) => void navigate({ search: { view: next }, replace: true })}
            options={[
              { value: 'stream', label: 'Stream' },
              { value: 'problems', label: 'Dropped and changed' },
            ]}
          />
          {view === 'stream' && (
            <Button icon={paused ? 'play' : 'pause'} onClick={() => setPaused(!paused)} aria-pressed={paused}>
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
        </>
      }
    >
      <div className="live-counts">
        <dl className="live-counts">
          <Count label="Events per second" value={number(Math.round(live.rate * 10) / 10)} />
          <Count label="Stored since you opened this page" value={number(live.stored)} />
          <Count label="Dropped or changed" value={number(live.warned)} tone={live.warned > 0 ? 'warn' : undefined} />
        </dl>
        <span className="grow" />
        <Connection live={live} paused={paused} />
      </div>
      <div className="row-wrap" style={{ gap: 16 }}>
        <input
          className="input"
          style={{ maxWidth: 320 }}
          placeholder="Event, person, page or reason"
          aria-label="Filter"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {view === 'stream' && (
          <Checkbox checked={troubleOnly} onChange={(event) => setTroubleOnly(event.target.checked)}>
            Only dropped and changed
          </Checkbox>
        )}
      </div>
      {view === 'stream' ? (
        <Streams live={live} search={search} troubleOnly={troubleOnly} />
      ) : (
        <Problems search={search} />
      )}
    </Page>
  )
}

function Streams({ live, search, troubleOnly }: { live: Live; search: string; troubleOnly: boolean }) {
  const project = useProject()
  const recent = useRecent(project.id)
  const names = usePersonNames(
    project.id,
    [...live.events, ...recent].map(({ person_id }) => person_id),
  )
  const found = (event: LiveEvent) => fits(event, search, names.get(event.person_id ?? ''))
  const wanted = live.events.filter((event) => found(event) && (!troubleOnly || isTrouble(event)))
  const earlier = troubleOnly ? [] : recent.filter(found)
  const narrowed = search.trim() !== '' || troubleOnly
  return (
    <>
      {wanted.length > 0 ? (
        <Stream label="Events" events={wanted} names={names} zone={project.timezone} />
      ) : (
        <EmptyState
          icon="live"
          title={narrowed && live.events.length > 0 ? 'No matches so far' : 'Waiting for the next event'}
        >
          Events show up here within a second or two.
        </EmptyState>
      )}
      {earlier.length > 0 && (
        <section className="stack">
          <h2 className="live-before">Earlier</h2>
          <Stream label="Earlier events" events={earlier} names={names} zone={project.timezone} />
        </section>
      )}
    </>
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

const WORDS: Record<Live['state'], string> = {
  connecting: 'Connecting',
  open: 'Listening',
  lost: 'Connection lost, reconnecting',
}

/** While paused it says what it does not show. */
function Connection({ live, paused }: { live: Live; paused: boolean }) {
  const [since, setSince] = useState(0)
  const { stored, warned, state } = live
  useEffect(() => {
    if (!paused) setSince(stored + warned)
  }, [paused, stored, warned])
  const missed = Math.max(stored + warned - since, 0)
  return (
    <div className="row small soft" role="status">
      <span className={`dot dot-${paused ? 'paused' : state}`} />
      {paused ? `Paused${missed > 0 ? `, ${plural(missed, 'event')} not shown` : ''}` : WORDS[state]}
    </div>
  )
}
