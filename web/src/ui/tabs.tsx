import { Tabs as Base } from '@base-ui/react/tabs'
import { type ReactNode, useEffect, useRef } from 'react'
import './fades.css'
import './tabs.css'

interface Tab<T extends string> {
  value: T
  label: ReactNode
}

/** As wide as the fading edge: a tab under it is not in sight. */
const EDGE = 40

/** Views of one thing. Arrow keys move between them. */
export function Tabs<T extends string>({
  label,
  value,
  tabs,
  onChange,
}: {
  label: string
  value: T
  tabs: readonly Tab<T>[]
  onChange: (value: T) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const chosen = tabs.findIndex((tab) => tab.value === value)
  useEffect(() => {
    const tab = list.current?.children[chosen]
    if (!list.current || !tab) return
    // Called at once, and whenever there is more or less room.
    const watcher = new ResizeObserver(([row]) => row && bringIntoSight(row.target, tab))
    watcher.observe(list.current)
    return () => watcher.disconnect()
  }, [chosen])
  return (
    <Base.Root value={value} onValueChange={onChange}>
      <Base.List ref={list} className="tabs fades" aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
    </Base.Root>
  )
}

/** Sideways only: `scrollIntoView` would move the page too. */
function bringIntoSight(list: Element, tab: Element): void {
  const [room, place] = [list.getBoundingClientRect(), tab.getBoundingClientRect()]
  if (place.left < room.left) list.scrollLeft -= room.left - place.left
  else if (place.right > room.right - EDGE) list.scrollLeft += place.right - room.right + EDGE
}
