import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Door } from './door.ts'

const NONE: Door[] = []

export function useDoors() {
  const doors = useSearch({ from: '/project/$projectId', select: (search) => search.doors }) ?? NONE
  const navigate = useNavigate()
  const set = useCallback(
    (next: Door[]) =>
      void navigate({
        to: '.',
        search: ((was: Record<string, unknown>) => ({ ...was, doors: next.length > 0 ? next : undefined })) as never,
        resetScroll: false,
      }),
    [navigate],
  )
  return {
    doors,
    open: (door: Door) => set([...doors, door]),
    back: () => set(doors.slice(0, -1)),
    close: () => set([]),
  }
}
