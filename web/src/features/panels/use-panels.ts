import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Panel } from './panel.ts'

const NONE: Panel[] = []

export function usePanels() {
  const panels = useSearch({ from: '/project/$projectId', select: (search) => search.panels ?? search.doors }) ?? NONE
  const navigate = useNavigate()
  const set = useCallback(
    (next: Panel[]) =>
      void navigate({
        to: '.',
        search: (was) => ({ ...was, panels: next.length > 0 ? next : undefined, doors: undefined }),
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
