import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Replayer } from 'rrweb'
import 'rrweb/dist/style.css'
import type { Pieces } from './pieces.ts'
import { firstPicture } from './snapshots.ts'
import { rememberTaste, type Taste, tasteWith } from './taste.ts'

const TICK_MS = 100

/** Where a recording is, and how fast it plays, as its address says it. */
export interface PlayerPlace {
  /** Milliseconds since the beginning. */
  at: number
  speed: string
}

/**
 * rrweb's replayer on a stage, as React state. It plays from the start as soon as there is something to see. It waits
 * when it comes to the end of the loaded part, or is sent beyond it, and continues when that is loaded. It is finished
 * at the end of the recording, until the user seeks elsewhere.
 */
export function useReplay(
  stage: RefObject<HTMLDivElement | null>,
  pieces: Pieces,
  {
    start,
    onTime,
    onMoved,
  }: {
    start?: Partial<PlayerPlace> | undefined
    onTime?: ((ms: number) => void) | undefined
    /** Called when somebody stops, seeks or changes the speed. */
    onMoved?: ((place: PlayerPlace) => void) | undefined
  },
) {
  const loaded = useSyncExternalStore(pieces.subscribe, () => pieces.state)
  const replayer = useRef<Replayer | null>(null)
  const [playing, setPlaying] = useState(false)
  const [finished, setFinished] = useState(false)
  const [skipping, setSkipping] = useState(false)
  /** Where to continue once that part is loaded, and whether to play. */
  const [awaited, setAwaited] = useState<{ at: number; play: boolean } | null>(null)
  const [now, setNow] = useState(0)
  const [taste, setTaste] = useState(() => tasteWith(start?.speed))
  const begin = useRef({ ...taste, at: start?.at ?? 0 })
  const tell = useRef(onTime)
  tell.current = onTime
  const goal = useRef(awaited)
  goal.current = awaited
  const { total } = pieces

  useEffect(() => {
    const root = stage.current
    if (!root || !loaded.playable) return
    const { speed, skip, at: wanted } = begin.current
    const given = [...pieces.events]
    const made = new Replayer(given, {
      root,
      speed: Number(speed),
      skipInactive: skip,
      mouseTail: false,
      showWarning: false,
      useVirtualDom: true,
    })
    replayer.current = made
    made.iframe.title = 'What the visitor saw'
    // Links and fields of the recorded page do nothing: the tab key passes over them.
    made.iframe.tabIndex = -1
    let known = given.length
    const unsubscribe = pieces.subscribe(() => {
      for (; known < pieces.events.length; known++) made.addEvent(pieces.events[known] as (typeof given)[number])
    })
    const fit = () => fitStage(root, made)
    made.on('resize', fit)
    made.on('skip-start', () => setSkipping(true))
    made.on('skip-end', () => setSkipping(false))
    made.on('finish', () => {
      setSkipping(false)
      if (!pieces.state.complete) return setAwaited({ at: pieces.state.until, play: true })
      setPlaying(false)
      setFinished(true)
      setNow(total)
    })
    const watcher = new ResizeObserver(fit)
    watcher.observe(root)
    const first = Math.min(Math.max(firstPicture(given), wanted), total)
    if (wanted <= 0) made.play()
    else if (first <= pieces.state.until || pieces.state.complete) made.play(first)
    else {
      pieces.watch(first)
      setAwaited({ at: first, play: true })
    }
    setPlaying(true)
    setFinished(false)
    const timer = setInterval(() => {
      const at = Math.min(Math.max(0, made.getCurrentTime()), total)
      setNow(at)
      tell.current?.(at)
      pieces.watch(goal.current?.at ?? at)
    }, TICK_MS)
    return () => {
      clearInterval(timer)
      unsubscribe()
      watcher.disconnect()
      made.destroy()
      replayer.current = null
    }
  }, [stage, pieces, loaded.playable, total])

  const go = (ms: number, play: boolean) => {
    if (play) replayer.current?.play(ms)
    else replayer.current?.pause(ms)
    setPlaying(play)
    setAwaited(null)
    setFinished(false)
    setNow(ms)
  }
  const seek = (wanted: number, play = playing) => {
    const ms = Math.min(Math.max(firstPicture(pieces.events), wanted), total)
    onMoved?.({ at: ms, speed: taste.speed })
    if (ms <= loaded.until || loaded.complete) return go(ms, play)
    replayer.current?.pause()
    pieces.watch(ms)
    setAwaited({ at: ms, play })
  }

  useEffect(() => {
    // What comes in is added a moment later, before the next frame.
    if (!awaited || !(loaded.until > awaited.at || loaded.complete)) return
    const frame = requestAnimationFrame(() => go(awaited.at, awaited.play))
    return () => cancelAnimationFrame(frame)
  })

  const change = (next: Partial<Taste>) => {
    const all = { ...taste, ...next }
    setTaste(all)
    rememberTaste(all)
    onMoved?.({ at: now, speed: all.speed })
    replayer.current?.setConfig({ speed: Number(all.speed), skipInactive: all.skip })
  }

  return {
    playing,
    finished,
    waiting: awaited !== null && loaded.error === null,
    skipping: skipping && playing && taste.skip,
    loaded,
    now: awaited?.at ?? now,
    total,
    speed: taste.speed,
    skip: taste.skip,
    seek,
    toggle: () => {
      if (finished) return seek(0, true)
      if (awaited) setAwaited({ ...awaited, play: !playing })
      else if (playing) {
        replayer.current?.pause()
        onMoved?.({ at: now, speed: taste.speed })
      } else replayer.current?.play(now)
      setPlaying(!playing)
    },
    setSkip: (skip: boolean) => change({ skip }),
    setSpeed: (speed: string) => change({ speed }),
  }
}

/** As large as fits, in the middle, and never larger than it was. */
function fitStage(root: HTMLElement, { iframe, wrapper }: Replayer): void {
  const width = iframe.offsetWidth || Number(iframe.width) || 1
  const height = iframe.offsetHeight || Number(iframe.height) || 1
  const scale = Math.min(root.clientWidth / width, root.clientHeight / height, 1)
  wrapper.style.transform = `scale(${scale}) translate(-50%, -50%)`
}
