import { useQuery } from '@tanstack/react-query'
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { type eventWithTime, Replayer } from 'rrweb'
import 'rrweb/dist/style.css'
import { ask, inProject } from '../api/http.ts'
import { useProject } from '../frame/project.tsx'
import { clock } from '../lib/format.ts'
import { Button, Checkbox, Segmented } from '../ui/controls.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'

export interface PlayerHandle {
  seek(ms: number): void
}

export interface Mark {
  id: string
  name: string
  at: number
}

export function Player({
  recordingId,
  marks,
  onTime,
  ref,
}: {
  recordingId: string
  marks: readonly Mark[]
  onTime: (ms: number) => void
  ref?: Ref<PlayerHandle>
}) {
  const project = useProject()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['snapshots', project.id, recordingId],
    queryFn: async ({ signal }) =>
      snapshotsOf(
        await ask<unknown>(inProject(project.id, `session_recordings/${encodeURIComponent(recordingId)}/snapshots/`), {
          signal,
        }),
      ),
    staleTime: 60_000,
  })
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <Skeleton height={480} radius={8} />
  if (data.length < 2)
    return (
      <EmptyState icon="recordings" title="Nothing to play">
        The recording has just begun, or its data was removed.
      </EmptyState>
    )
  return <Stage events={data} marks={marks} onTime={onTime} {...(ref ? { handle: ref } : {})} />
}

/** JSON lines, an array, or lines of [window, event]. */
function snapshotsOf(answer: unknown): eventWithTime[] {
  const items =
    typeof answer === 'string'
      ? answer
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown)
      : Array.isArray(answer)
        ? answer
        : []
  return items
    .map((item) => (Array.isArray(item) ? item.at(-1) : item) as eventWithTime)
    .filter((item) => typeof item === 'object' && item !== null && 'timestamp' in item)
}

function Stage({
  events,
  marks,
  onTime,
  handle,
}: {
  events: eventWithTime[]
  marks: readonly Mark[]
  onTime: (ms: number) => void
  handle?: Ref<PlayerHandle>
}) {
  const stage = useRef<HTMLDivElement>(null)
  const replayer = useRef<Replayer | null>(null)
  const [playing, setPlaying] = useState(false)
  const [now, setNow] = useState(0)
  const [total, setTotal] = useState(0)
  const [speed, setSpeed] = useState('1')
  const [skip, setSkip] = useState(true)
  const tell = useRef(onTime)
  tell.current = onTime

  useEffect(() => {
    const root = stage.current
    if (!root) return
    const made = new Replayer(events, {
      root,
      skipInactive: true,
      mouseTail: false,
      showWarning: false,
      useVirtualDom: true,
    })
    replayer.current = made
    made.iframe.title = 'What the visitor saw'
    setTotal(made.getMetaData().totalTime)
    const fit = () => fitStage(root, made)
    made.on('resize', fit)
    made.on('finish', () => setPlaying(false))
    const watcher = new ResizeObserver(fit)
    watcher.observe(root)
    made.play()
    setPlaying(true)
    const timer = setInterval(() => {
      const at = Math.max(0, made.getCurrentTime())
      setNow(at)
      tell.current(at)
    }, 200)
    return () => {
      clearInterval(timer)
      watcher.disconnect()
      made.destroy()
      replayer.current = null
    }
  }, [events])

  const seek = (ms: number) => {
    if (playing) replayer.current?.play(ms)
    else replayer.current?.pause(ms)
    setNow(ms)
  }
  useImperativeHandle(handle, () => ({ seek }))

  const toggle = () => {
    if (playing) replayer.current?.pause()
    else replayer.current?.play(now >= total ? 0 : now)
    setPlaying(!playing)
  }

  return (
    <section className="player" aria-label="Player">
      <div className="player-stage" ref={stage} />
      <div className="player-bar">
        <div className="player-track">
          {total > 0 &&
            marks.map(
              (mark) =>
                mark.at >= 0 &&
                mark.at <= total && (
                  <span
                    key={mark.id}
                    className="player-mark"
                    style={{ left: `${(mark.at / total) * 100}%` }}
                    title={mark.name}
                  />
                ),
            )}
          <input
            type="range"
            min={0}
            max={Math.max(1, total)}
            value={Math.min(now, total)}
            aria-label="Position"
            aria-valuetext={`${clock(now / 1000)} of ${clock(total / 1000)}`}
            onChange={(event) => seek(Number(event.target.value))}
          />
        </div>
        <Button kind="primary" onClick={toggle}>
          {playing ? 'Pause' : 'Play'}
        </Button>
        <span className="small soft">
          {clock(now / 1000)} / {clock(total / 1000)}
        </span>
        <span className="grow" />
        <Checkbox
          checked={skip}
          onChange={(event) => {
            setSkip(event.target.checked)
            replayer.current?.setConfig({ skipInactive: event.target.checked })
          }}
        >
          Skip inactivity
        </Checkbox>
        <Segmented
          label="Speed"
          value={speed}
          onChange={(next) => {
            setSpeed(next)
            replayer.current?.setConfig({ speed: Number(next) })
          }}
          options={['1', '2', '4', '8'].map((value) => ({ value, label: `${value}×` }))}
        />
      </div>
    </section>
  )
}

function fitStage(root: HTMLElement, replayer: Replayer): void {
  const { iframe, wrapper } = replayer
  const width = iframe.offsetWidth || Number(iframe.width) || 1
  const height = iframe.offsetHeight || Number(iframe.height) || 1
  const scale = Math.min(root.clientWidth / width, root.clientHeight / height, 1)
  wrapper.style.transform = `scale(${scale}) translate(-50%, -50%)`
}
