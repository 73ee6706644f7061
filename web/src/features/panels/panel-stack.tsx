import { lazy, Suspense, useEffect, useRef } from 'react'
import { IconButton } from '../../ui/controls.tsx'
import { SkeletonRows } from '../../ui/states.tsx'
import type { Panel } from './panel.ts'
import { usePanels } from './use-panels.ts'
import './panels.css'

const People = lazy(() => import('./people-panel.tsx').then((module) => ({ default: module.PeoplePanel })))
const Person = lazy(() => import('./person-panel.tsx').then((module) => ({ default: module.PersonPanel })))
const Event = lazy(() => import('./event-panel.tsx').then((module) => ({ default: module.EventPanel })))

/** The open panels, one above the other: only the last is seen, Esc and the arrow go back to the one before. */
export function PanelStack() {
  const { panels, back, close } = usePanels()
  const panel = useRef<HTMLElement>(null)
  const opener = useRef<Element | null>(null)
  const top = panels.at(-1)
  const depth = panels.length

  useEffect(() => {
    if (depth > 0) {
      opener.current ??= document.activeElement
      panel.current?.focus({ preventScroll: true })
    } else {
      // Focus returns to where the panel was opened from.
      if (opener.current instanceof HTMLElement && opener.current.isConnected)
        opener.current.focus({ preventScroll: true })
      opener.current = null
    }
  }, [depth])

  useEffect(() => {
    if (depth === 0) return
    const onKey = (event: KeyboardEvent) => {
      // In a dialog, a menu or a list to choose from, Esc closes that.
      const within = event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]')
      if (event.key === 'Escape' && !event.defaultPrevented && !within) back()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [depth, back])

  if (!top) return null
  return (
    <>
      <button type="button" className="panel-veil" aria-label="Close panel" onClick={close} tabIndex={-1} />
      <aside ref={panel} className="panel" aria-label={titleOf(top)} tabIndex={-1}>
        <header className="panel-head">
          {depth > 1 && <IconButton label="Back" icon="left" onClick={back} />}
          <h2 className="grow truncate">{titleOf(top)}</h2>
          <IconButton label="Close" icon="close" onClick={close} />
        </header>
        <div className="panel-body">
          <Suspense fallback={<SkeletonRows rows={6} height={32} />}>
            <PanelContent panel={top} />
          </Suspense>
        </div>
      </aside>
    </>
  )
}

function PanelContent({ panel }: { panel: Panel }) {
  if (panel.to === 'people') return <People panel={panel} key={JSON.stringify(panel.source)} />
  if (panel.to === 'person') return <Person id={panel.id} key={panel.id} />
  return <Event id={panel.id} key={panel.id} />
}

const titleOf = (panel: Panel): string =>
  panel.to === 'people' ? panel.title : panel.to === 'person' ? 'Person' : 'Event'
