import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Panel } from './panel.ts'

const NONE: Panel[] = []

export function usePanels() {
  const panels = useSearch({ from: '/project/$projectId', select: (search) => search.panels ?? search.doors }) ?? NONE
  const navigate = useNavigate()
  const set = useCallback(
    (next: Panel[], replace = false) =>
      void navigate({
        to: '.',
        search: (was) => ({ ...was, panels: next.length > 0 ? next : undefined, doors: undefined }),
        resetScroll: false,
        replace,
      }),
    [navigate],
  )
  return {
    panels,
    /** For a link that opens it, also in a tab of its own. */
    linkTo: (panel: Panel) => ({
      to: '.' as const,
      search: (was: object) => ({ ...was, panels: [...panels, panel], doors: undefined }),
      resetScroll: false,
    }),
    open: (panel: Panel) => set([...panels, panel]),
    /** The top one shows something else of itself: no step of the history. */
    change: (panel: Panel) => set([...panels.slice(0, -1), panel], true),
    back: () => set(panels.slice(0, -1)),
    close: () => set(NONE),
  }
}
