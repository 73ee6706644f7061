import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Recording } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { sayFailure } from '../../ui/toast.tsx'

/** Everything that shows whether a recording was watched, or how many were. */
const SHOWS_IT = new Set(['recording', 'recordings', 'playlist', 'playlist-recordings', 'playlists'])

/** Whether somebody has watched it: it counts as watched once it is opened, until somebody says otherwise. */
export function useWatched({ viewed }: Recording, path: string) {
  const client = useQueryClient()
  const { mutateAsync } = useMutation({
    mutationFn: (now: boolean) => ask(path, { method: 'PATCH', body: { viewed: now } }),
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => SHOWS_IT.has(String(queryKey[0])) }),
    onError: sayFailure,
  })
  const told = useRef(viewed)
  useEffect(() => {
    if (told.current) return
    told.current = true
    mutateAsync(true).catch(() => {})
  }, [mutateAsync])
  return { watched: viewed, setWatched: mutateAsync }
}
