import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react'
import './room.css'

/**
 * The room that a tile has for its picture. A view that knows it draws what fits: fewer rows, columns or steps, never a
 * scrollbar. The whole answer is one click away, on the insight's own page.
 */
export interface Room {
  readonly width: number
  readonly height: number
}

const RoomContext = createContext<Room | null>(null)

/** Null where there is all the room one wants: on the insight's page. */
export const useRoom = (): Room | null => useContext(RoomContext)

/** How many of so many lines fit; where not all do, one line says how many are left out. */
export function fitting(count: number, height: number, line: number): number {
  const all = Math.floor(height / line)
  return count <= all ? count : Math.max(1, all - 1)
}

export function Fitted({ height, children }: { height: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return (
    <div ref={box} className="fitted" style={{ height }}>
      {width > 0 && <RoomContext value={{ width, height }}>{children}</RoomContext>}
    </div>
  )
}

/** What a tile leaves out, in words. */
export const LeftOut = ({ count }: { count: number }) =>
  count > 0 ? <p className="left-out">and {count} more</p> : null
