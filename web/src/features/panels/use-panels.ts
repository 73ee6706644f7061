import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type Door, readDoors } from './panel.ts'

const NONE: Door[] = []
/** A door may hold any question; the router's types need not follow it that deep. */
const asText = (search: object): string => JSON.stringify(readDoors(search as Record<string, unknown>).doors ?? NONE)

export function useDoors() {
  const text = useRouterState({ select: (state): string => asText(state.location.search as object) })
  const doors = JSON.parse(text) as Door[]
  const navigate = useNavigate()
  const set = useCallback(
    (next: Door[]) =>
      void navigate({
        to: '.',
        search: ((was: object) => ({ ...was, doors: next.length > 0 ? next : undefined })) as never,
        resetScroll: false,
      }),
    [navigate],
  )
  return {
    doors,
    open: (door: Door) => set([...doors, door]),
    back: () => set(doors.slice(0, -1)),
    close: () => set(NONE),
  }
}
