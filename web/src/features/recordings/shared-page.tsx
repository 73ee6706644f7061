import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { PublicRecording, Shared, SharedRecording } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import { clock, dateTime, plural } from '../../lib/format.ts'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { isTyping } from './use-player-keys.ts'
import './shared-page.css'

const Player = lazy(() => import('./player.tsx').then((module) => ({ default: module.Player })))

const NAMES = { playlist: 'Playlist', recording: 'Recording', web_analytics: 'Web analytics' } as const

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const SharedWeb = lazy(() => import('../web-analytics/index.ts').then((module) => ({ default: module.SharedWeb })))

/** What a public link shows, to whoever has it: recordings, and nothing about whose they are, or web analytics. */
export function SharedPage() {
  const { token } = useParams({ from: '/shared/$token' })
  const source = `/api/shared/${encodeURIComponent(token)}/`
  const { data, error, refetch } = useQuery({
    queryKey: ['shared', token],
    queryFn: ({ signal }) => ask<Shared>(source, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const title = data?.playlist?.name || NAMES[data?.kind ?? 'recording']
  useEffect(() => {
    document.title = `${title} · Footfall`
  }, [title])
  return (
    <div className="shared">
      <header className="shared-head">
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <span className="strong">Footfall</span>
        <span className="soft small">shared with you</span>
      </header>
      <main className="shared-main">
        {error instanceof ApiFailure && error.status === 404 ? (
          <>
            <h1 className="unseen">Shared link</h1>
            <EmptyState icon="link" title="This link does not work">
              It has expired or was revoked. Ask the sender for a new link.
            </EmptyState>
          </>
        ) : error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : !data ? (
          <Skeleton height={540} radius={8} />
        ) : data.web_analytics ? (
          <Suspense fallback={<Skeleton height={540} radius={8} />}>
            <SharedWeb token={token} name={data.web_analytics.name} zone={data.web_analytics.timezone} />
          </Suspense>
        ) : data.results.length === 0 ? (
          <>
            <h1>{title}</h1>
            <EmptyState icon="recordings" title="This playlist is empty" />
          </>
        ) : (
          <Watch title={title} shared={data} source={source} />
        )}
      </main>
    </div>
  )
}

function Watch({ title, shared, source }: { title: string; shared: Shared; source: string }) {
  const { results, playlist } = shared
  const [index, setIndex] = useState(0)
  const recording = results[index] as PublicRecording
  const more = index + 1 < results.length
  useEffect(() => {
    if (!more) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'n' && !event.ctrlKey && !event.metaKey && !isTyping(event.target))
        setIndex(index + 1)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [index, more])
  const next = more && (
    <button type="button" className="button button-primary" onClick={() => setIndex(index + 1)}>
      Next <kbd>N</kbd>
    </button>
  )
  return (
    <>
      <div className="shared-title">
        <div className="grow">
          <h1>{title}</h1>
          <p className="small soft">
            {playlist?.description ? `${playlist.description} · ` : ''}
            {dateTime(recording.start_time, ZONE)} · {clock(recording.recording_duration)} ·{' '}
            {plural(recording.click_count, 'click')}
          </p>
        </div>
        {next}
      </div>
      <div className={results.length > 1 ? 'shared-many' : ''}>
        <Suspense fallback={<Skeleton height={540} radius={8} />}>
          <SharedPlayer
            key={recording.id}
            source={`${source}recordings/${encodeURIComponent(recording.id)}/`}
            atEnd={next || undefined}
          />
        </Suspense>
        {results.length > 1 && (
          <ol className="shared-list" aria-label="Recordings">
            {results.map((one, place) => (
              <li key={one.id}>
                <button
                  type="button"
                  className="shared-item"
                  aria-current={place === index}
                  onClick={() => setIndex(place)}
                >
                  <span className="soft tiny">{place + 1}</span>
                  <span className="grow truncate">{dateTime(one.start_time, ZONE)}</span>
                  <span className="soft">{clock(one.recording_duration)}</span>
                </button>
              </li>
            ))}
          </ol>
        )}
      </div>
    </>
  )
}

function SharedPlayer({ source, atEnd }: { source: string; atEnd: ReactNode }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['shared-recording', source],
    queryFn: ({ signal }) => ask<SharedRecording>(source, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (!data) return <Skeleton height={540} radius={8} />
  return <Player source={`${source}snapshots/`} blocks={data.blocks} marks={[]} atEnd={atEnd} />
}
