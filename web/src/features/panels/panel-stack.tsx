import { lazy, Suspense, useEffect, useRef } from 'react'
import { IconButton } from '../../ui/controls.tsx'
import { SkeletonRows } from '../../ui/states.tsx'
import type { Door } from './panel.ts'
import { useDoors } from './use-panels.ts'
import './panels.css'

const People = lazy(() => import('./people-panel.tsx').then((module) => ({ default: module.PeopleDoor })))
const Person = lazy(() => import('./person-panel.tsx').then((module) => ({ default: module.PersonDoor })))
const Event = lazy(() => import('./event-panel.tsx').then((module) => ({ default: module.EventDoor })))

/** The open doors, one above the other: only the last is seen, Esc and the arrow go back to the one before. */
export function DoorStack() {
  const { doors, back, close } = useDoors()
  const panel = useRef<HTMLElement>(null)
  const opener = useRef<Element | null>(null)
  const top = doors.at(-1)
  const depth = doors.length

  useEffect(() => {
    if (depth > 0) {
      opener.current ??= document.activeElement
      panel.current?.focus({ preventScroll: true })
    } else {
      // Whoever came by the keyboard goes on where they were.
      if (opener.current instanceof HTMLElement && opener.current.isConnected)
        opener.current.focus({ preventScroll: true })
      opener.current = null
    }
  }, [depth])

  useEffect(() => {
    if (depth === 0) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) back()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [depth, back])

  if (!top) return null
  return (
    <>
      <button type="button" className="door-veil" aria-label="Close the panel" onClick={close} tabIndex={-1} />
      <aside ref={panel} className="door" aria-label={titleOf(top)} tabIndex={-1}>
        <header className="door-head">
          {depth > 1 && <IconButton label="Back" icon="left" onClick={back} />}
          <h2 className="grow truncate">{titleOf(top)}</h2>
          <IconButton label="Close" icon="close" onClick={close} />
        </header>
        <div className="door-body">
          <Suspense fallback={<SkeletonRows rows={6} height={32} />}>
            <DoorContent door={top} />
          </Suspense>
        </div>
      </aside>
    </>
  )
}

function DoorContent({ door }: { door: Door }) {
  if (door.to === 'people') return <People door={door} key={JSON.stringify(door.source)} />
  if (door.to === 'person') return <Person id={door.id} key={door.id} />
  return <Event id={door.id} key={door.id} />
}

const titleOf = (door: Door): string => (door.to === 'people' ? door.title : door.to === 'person' ? 'Person' : 'Event')
