import { type RefObject, useEffect, useRef, useState } from 'react'
import { type eventWithTime, Replayer } from 'rrweb'
import 'rrweb/dist/style.css'
import { firstPicture } from './snapshots.ts'

const TICK_MS = 100
const REMEMBERED = 'footfall.player'

interface Taste {
  speed: string
  skip: boolean
}

/** How somebody likes to watch stays from one recording to the next. */
function tasteOf(): Taste {
  try {
    const { speed = '1', skip = true } = JSON.parse(localStorage.getItem(REMEMBERED) ?? '{}') as Partial<Taste>
    return { speed, skip }
  } catch {
    return { speed: '1', skip: true }
  }
}

/**
 * rrweb's replayer on a stage, as React state. It plays from the start; it is finished when it reached its end and until somebody moves
 * elsewhere.
 */
export function useReplay(
  stage: RefObject<HTMLDivElement | null>,
  events: eventWithTime[],
  onTime: ((ms: number) => void) | undefined,
) {
  const replayer = useRef<Replayer | null>(null)
  const [playing, setPlaying] = useState(false)
  const [finished, setFinished] = useState(false)
  const [skipping, setSkipping] = useState(false)
  const [now, setNow] = useState(0)
  const [total, setTotal] = useState(0)
  const [taste, setTaste] = useState(tasteOf)
  const begin = useRef(taste)
  const tell = useRef(onTime)
  tell.current = onTime

  useEffect(() => {
    const root = stage.current
    if (!root) return
    const { speed, skip } = begin.current
    const made = new Replayer(events, {
      root,
      speed: Number(speed),
      skipInactive: skip,
      mouseTail: false,
      showWarning: false,
      useVirtualDom: true,
    })
    replayer.current = made
    made.iframe.title = 'What the visitor saw'
    const { totalTime } = made.getMetaData()
    setTotal(totalTime)
    const fit = () => fitStage(root, made)
    made.on('resize', fit)
    made.on('skip-start', () => setSkipping(true))
    made.on('skip-end', () => setSkipping(false))
    made.on('finish', () => {
      setPlaying(false)
      setSkipping(false)
      setFinished(true)
      setNow(totalTime)
    })
    const watcher = new ResizeObserver(fit)
    watcher.observe(root)
    made.play()
    setPlaying(true)
    setFinished(false)
    const timer = setInterval(() => {
      const at = Math.min(Math.max(0, made.getCurrentTime()), totalTime)
      setNow(at)
      tell.current?.(at)
    }, TICK_MS)
    return () => {
      clearInterval(timer)
      watcher.disconnect()
      made.destroy()
      replayer.current = null
    }
  }, [stage, events])

  const seek = (wanted: number, play = playing) => {
    const ms = Math.min(Math.max(firstPicture(events), wanted), total)
    if (play) replayer.current?.play(ms)
    else replayer.current?.pause(ms)
    setPlaying(play)
    setFinished(false)
    setNow(ms)
  }
  const change = (next: Partial<Taste>) => {
    const all = { ...taste, ...next }
    setTaste(all)
    localStorage.setItem(REMEMBERED, JSON.stringify(all))
    replayer.current?.setConfig({ speed: Number(all.speed), skipInactive: all.skip })
  }

  return {
    playing,
    finished,
    skipping: skipping && playing && taste.skip,
    now,
    total,
    speed: taste.speed,
    skip: taste.skip,
    seek,
    toggle: () => {
      if (finished) return seek(0, true)
      if (playing) replayer.current?.pause()
      else replayer.current?.play(now)
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
