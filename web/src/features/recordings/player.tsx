import {
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { ask } from '../../api/http.ts'
import { clock, percent } from '../../lib/format.ts'
import { Button, Checkbox, IconButton, Segmented } from '../../ui/controls.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import type { Mark } from './marks.ts'
import { type Block, Pieces } from './pieces.ts'
import { linesOf, type RecordedLines } from './recorded-lines.ts'
import { loadsRecordedMedia, setRecordedMedia } from './recorded-media.ts'
import { idleSpans, snapshotsOf } from './snapshots.ts'
import { SPEEDS } from './taste.ts'
import { Timeline } from './timeline.tsx'
import { usePlayerKeys } from './use-player-keys.ts'
import { type PlayerPlace, useReplay } from './use-replay.ts'
import './player.css'

export interface PlayerHandle {
  seek(ms: number): void
}

interface Watched {
  start?: Partial<PlayerPlace>
  onTime?: (ms: number) => void
  onMoved?: (place: PlayerPlace) => void
  /** What the recorder wrote besides pictures, as far as it is loaded. */
  onLines?: (lines: RecordedLines) => void
}

/** Plays a recording whose blocks are loaded from `source`; playback starts while later blocks are loading. */
export function Player({
  source,
  blocks,
  marks,
  atEnd,
  ref,
  ...watched
}: {
  source: string
  blocks: readonly Block[]
  marks: readonly Mark[]
  /** Offered when it is over, besides playing it again. */
  atEnd?: ReactNode
  ref?: Ref<PlayerHandle>
} & Watched) {
  const [pieces] = useState(() => new Pieces(blocks, (block, signal) => readBlock(source, block, signal)))
  const { playable, complete, error } = useSyncExternalStore(pieces.subscribe, () => pieces.state)
  useEffect(() => {
    pieces.start()
    return () => pieces.stop()
  }, [pieces])
  if (error && !playable) return <ErrorState error={error} retry={() => pieces.start()} />
  if (complete && !playable)
    return (
      <EmptyState icon="recordings" title="Nothing to play">
        The recording has just started, or its data was deleted.
      </EmptyState>
    )
  if (!playable) return <Skeleton height="var(--player)" radius={8} />
  return <Stage pieces={pieces} marks={marks} atEnd={atEnd} handle={ref} {...watched} />
}

const readBlock = async (source: string, { start, end }: Pick<Block, 'start' | 'end'>, signal: AbortSignal) =>
  snapshotsOf(await ask<unknown>(source, { query: { start, end }, signal }))

const SPEED_CHOICES = SPEEDS.map((value) => ({ value, label: `${value}×` }))
const JUMP_MS = 5_000

function Stage({
  pieces,
  marks,
  atEnd,
  handle,
  onLines,
  ...watched
}: {
  pieces: Pieces
  marks: readonly Mark[]
  atEnd?: ReactNode
  handle?: Ref<PlayerHandle> | undefined
} & Watched) {
  const stage = useRef<HTMLDivElement>(null)
  const player = useRef<HTMLElement>(null)
  const replay = useReplay(stage, pieces, watched)
  const { until, error } = replay.loaded
  // The list grows in place, and `until` tells when.
  const idle = useMemo(() => (until < 0 ? [] : idleSpans(pieces.events)), [pieces, until])
  useEffect(() => {
    if (until >= 0) onLines?.(linesOf(pieces.events))
  }, [pieces, until, onLines])
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
        {error ? (
          <div className="player-end">
            <ErrorState error={error} retry={() => pieces.start()} />
          </div>
        ) : (
          replay.waiting && (
            <span className="player-note" role="status">
              Loading, {percent(until / Math.max(pieces.total, 1), 0)}
            </span>
          )
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
        <Timeline now={replay.now} total={replay.total} loaded={until} idle={idle} marks={marks} onSeek={replay.seek} />
        <div className="player-controls">
          <Button kind="primary" icon={replay.playing ? 'pause' : 'play'} onClick={replay.toggle}>
            {replay.playing ? 'Pause' : 'Play'}
          </Button>
          <IconButton label="Back 5 seconds" icon="back" onClick={() => replay.seek(replay.now - JUMP_MS)} />
          <IconButton label="Forward 5 seconds" icon="forward" onClick={() => replay.seek(replay.now + JUMP_MS)} />
          <span className="small soft player-time">
            {clock(replay.now / 1000)} / {clock(replay.total / 1000)}
          </span>
          <span className="grow" />
          <Checkbox
            checked={loadsRecordedMedia}
            onChange={(event) => setRecordedMedia(event.target.checked)}
            title="Images, fonts and videos are loaded from the recorded site, which can then see that someone is watching."
          >
            Load images from the recorded site
          </Checkbox>
          <Checkbox checked={replay.skip} onChange={(event) => replay.setSkip(event.target.checked)}>
            Skip inactivity
          </Checkbox>
          <Segmented label="Speed" value={replay.speed} onChange={replay.setSpeed} options={SPEED_CHOICES} />
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
