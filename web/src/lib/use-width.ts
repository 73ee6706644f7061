import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The width that an element has, and has after a change of the window; null until it is there. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number | null] {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    setWidth(current.clientWidth)
    const watcher = new ResizeObserver(() => setWidth(current.clientWidth))
    watcher.observe(current)
    return () => watcher.disconnect()
  }, [])
  return [element, width]
}
