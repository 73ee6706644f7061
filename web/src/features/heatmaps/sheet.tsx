import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { HeatmapFrame, HeatmapPoint, ScrollDepth } from '../../api/contract.ts'
import { PageFrame, type useFrameEvents } from './frame.tsx'
import { PointsOverlay, ScrollOverlay } from './overlay.tsx'
import { depthOf } from './paint.ts'

export interface Heat {
  readonly points: readonly HeatmapPoint[]
  readonly depths: readonly ScrollDepth[]
}

/** The page, or an empty sheet of its width, with the heat over it, as wide as there is room. */
export function Sheet({
  heat,
  frame,
  events,
  width,
  label,
}: {
  heat: Heat
  frame: HeatmapFrame | null
  events: ReturnType<typeof useFrameEvents>['data']
  width: number
  label: string
}) {
  const [tall, setTall] = useState(0)
  const room = useRef<HTMLDivElement>(null)
  const [available, setAvailable] = useState(width)
  useEffect(() => {
    const element = room.current
    if (!element) return
    const watcher = new ResizeObserver(() => setAvailable(element.clientWidth))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  const shows = frame !== null && events !== undefined && events.length > 1
  const height = shows && tall > 0 ? tall : depthOf(heat.points, heat.depths)
  const scale = Math.min(1, available / width)
  return (
    <section className="heatmap-room" ref={room} aria-label={label} tabIndex={0}>
      <div className="heatmap-scaled" style={{ width: width * scale, height: height * scale }}>
        <div className="heatmap-sheet" style={{ width, height, transform: `scale(${scale})` }}>
          {shows ? (
            <PageFrame key={frame.session_id + frame.start} events={events} onHeight={setTall} />
          ) : (
            <EmptyPage />
          )}
          <Overlay>
            {heat.depths.length > 0 ? (
              <ScrollOverlay depths={heat.depths} height={height} />
            ) : (
              <PointsOverlay points={heat.points} width={width} height={height} scale={scale} />
            )}
          </Overlay>
        </div>
      </div>
    </section>
  )
}

const Overlay = ({ children }: { children: ReactNode }) => <div className="heatmap-overlay">{children}</div>

const EmptyPage = () => <div className="heatmap-empty" />
