import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type Ref, useImperativeHandle, useMemo, useRef } from 'react'
import type { eventWithTime } from 'rrweb'
import { ask } from '../api/http.ts'
import { clock } from '../lib/format.ts'
import { Button, Checkbox, IconButton, Segmented } from '../ui/controls.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'
import type { Mark } from './marks.ts'
import { idleSpans, snapshotsOf } from './snapshots.ts'
import { Timeline } from './timeline.tsx'
import { usePlayerKeys } from './use-player-keys.ts'
import { useReplay } from './use-replay.ts'
import './player.css'

export interface PlayerHandle {
  seek(ms: number): void
}

/** Plays what is found at an address of snapshots. */
export function Player({
  source,
  marks,
  onTime,
  atEnd,
  ref,
}: {
  source: string
  marks: readonly Mark[]
  onTime?: (ms: number) => void
  /** Offered when it is over, besides playing it again. */
  atEnd?: ReactNode
  ref?: Ref<PlayerHandle>
}) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['snapshots', source],
    queryFn: async ({ signal }) => snapshotsOf(await ask<unknown>(source, { signal })),
    staleTime: 60_000,
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <Skeleton height="var(--player)" radius={8} />
  if (data.length < 2)
    return (
      <EmptyState icon="recordings" title="Nothing to play">
        The recording has just begun, or its data was removed.
      </EmptyState>
    )
  return <Stage events={data} marks={marks} onTime={onTime} atEnd={atEnd} handle={ref} />
}

const SPEEDS = ['1', '2', '4', '8'].map((value) => ({ value, label: `${value}×` }))
const JUMP_MS = 5_000

function Stage({
  events,
  marks,
  onTime,
  atEnd,
  handle,
}: {
  events: eventWithTime[]
  marks: readonly Mark[]
  onTime?: ((ms: number) => void) | undefined
  atEnd?: ReactNode
  handle?: Ref<PlayerHandle> | undefined
}) {
  const stage = useRef<HTMLDivElement>(null)
  const player = useRef<HTMLElement>(null)
  const replay = useReplay(stage, events, onTime)
  const idle = useMemo(() => idleSpans(events), [events])
  useImperativeHandle(handle, () => ({ seek: replay.seek }))
  usePlayerKeys({ toggle: replay.toggle, jump: (ms) => replay.seek(replay.now + ms) })

  return (
    <section className="player" aria-label="Player" ref={player}>
      <div className="player-stage" ref={stage}>
        {replay.skipping && (
          <span className="player-note" role="status">
            Skipping inactivity
          </span>
        )}
        {replay.finished && (
          <div className="player-end">
            <Button icon="back" onClick={() => replay.seek(0, true)}>
              Play again
            </Button>
            {atEnd}
          </div>
        )}
      </div>
      <div className="player-bar">
        <Timeline now={replay.now} total={replay.total} idle={idle} marks={marks} onSeek={replay.seek} />
        <div className="player-controls">
          <Button kind="primary" icon={replay.playing ? 'pause' : 'play'} onClick={replay.toggle}>
            {replay.playing ? 'Pause' : 'Play'}
          </Button>
          <IconButton label="Back 5 seconds" icon="back" onClick={() => replay.seek(replay.now - JUMP_MS)} />
          <IconButton label="On 5 seconds" icon="forward" onClick={() => replay.seek(replay.now + JUMP_MS)} />
          <span className="small soft player-time">
            {clock(replay.now / 1000)} / {clock(replay.total / 1000)}
          </span>
          <span className="grow" />
          <Checkbox checked={replay.skip} onChange={(event) => replay.setSkip(event.target.checked)}>
            Skip inactivity
          </Checkbox>
          <Segmented label="Speed" value={replay.speed} onChange={replay.setSpeed} options={SPEEDS} />
          <IconButton
            label="Full screen"
            icon="full"
            className="player-full"
            onClick={() =>
              void (document.fullscreenElement ? document.exitFullscreen() : player.current?.requestFullscreen())
            }
          />
        </div>
      </div>
    </section>
  )
}
