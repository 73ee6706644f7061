import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type Panel, readPanels } from './panel.ts'

const NONE: Panel[] = []
/** A panel may hold any question; the router's types need not follow it that deep. */
const asText = (search: object): string => JSON.stringify(readPanels(search as Record<string, unknown>).panels ?? NONE)

export function usePanels() {
  const text = useRouterState({ select: (state): string => asText(state.location.search as object) })
  const panels = JSON.parse(text) as Panel[]
  const navigate = useNavigate()
  const set = useCallback(
    (next: Panel[]) =>
      void navigate({
        to: '.',
        search: ((was: object) => ({ ...was, panels: next.length > 0 ? next : undefined })) as never,
        resetScroll: false,
      }),
    [navigate],
  )
  return {
    panels,
    open: (panel: Panel) => set([...panels, panel]),
    back: () => set(panels.slice(0, -1)),
    close: () => set(NONE),
  }
}
