import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Replayer } from 'rrweb'
import 'rrweb/dist/style.css'
import type { HeatmapFrame } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { snapshotsOf } from '../recordings/index.ts'

/** A page that is longer is cut. */
const TALLEST = 15_000
/** Styles that are part of the recording are there at once; when they move something, it is within this time. */
const SETTLED_MS = 400

type Events = ReturnType<typeof snapshotsOf>

export function useFrameEvents(project: number, frame: HeatmapFrame | null | undefined) {
  return useQuery({
    queryKey: ['heatmap-frame-events', project, frame?.session_id, frame?.start, frame?.end],
    queryFn: async ({ signal }) => {
      if (!frame) return []
      const { session_id, start, end, window_id } = frame
      const path = inProject(project, `session_recordings/${encodeURIComponent(session_id)}/snapshots/`)
      return snapshotsOf(await ask<unknown>(path, { query: { start, end, window_id }, signal }))
    },
    enabled: Boolean(frame),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The page as its recording shows it at its last event, in full height. Nothing in it runs or can be clicked. */
export function PageFrame({ events, onHeight }: { events: Events; onHeight: (height: number) => void }) {
  const root = useRef<HTMLDivElement>(null)
  const tell = useRef(onHeight)
  tell.current = onHeight
  useEffect(() => {
    const [first, last] = [events[0], events.at(-1)]
    if (!root.current || !first || !last || events.length < 2) return
    const replayer = new Replayer([...events], { root: root.current, mouseTail: false, showWarning: false })
    const { iframe } = replayer
    iframe.title = 'The page as it was recorded'
    iframe.tabIndex = -1
    const measure = () => {
      const page = iframe.contentDocument?.documentElement
      const tall = Math.min(TALLEST, Math.max(page?.scrollHeight ?? 0, Number(iframe.getAttribute('height')) || 0))
      if (tall === 0) return
      iframe.style.height = `${tall}px`
      iframe.contentWindow?.scrollTo(0, 0)
      tell.current(tall)
    }
    replayer.pause(last.timestamp - first.timestamp)
    measure()
    const later = setTimeout(measure, SETTLED_MS)
    return () => {
      clearTimeout(later)
      replayer.destroy()
    }
  }, [events])
  return <div ref={root} className="heatmap-frame" />
}
