import { useEffect, useState } from 'react'
import { ask, inProject } from '../../api/http.ts'

const AT_ONCE = 100
const GATHER_MS = 300

type Names = ReadonlyMap<string, string>

/**
 * What the persons behind events are called. Events bring ids alone: names are asked for a few at a time, each once.
 */
export function usePersonNames(projectId: number, ids: readonly (string | null)[]): Names {
  const [names, setNames] = useState<Names>(new Map())
  const unknown = [...new Set(ids)].filter((id): id is string => id !== null && !names.has(id)).slice(0, AT_ONCE)
  const wanted = unknown.join(',')
  useEffect(() => {
    if (wanted === '') return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const found = await ask<{ uuid: string; name: string }[]>(inProject(projectId, 'persons/names/'), {
        query: { uuids: wanted },
        signal: abort.signal,
      }).catch(() => null)
      if (!found || abort.signal.aborted) return
      const named = new Map(found.map(({ uuid, name }) => [uuid, name]))
      // Who is not there (any more) has no name, and is not asked for again.
      setNames((known) => new Map([...known, ...wanted.split(',').map((id) => [id, named.get(id) ?? ''] as const)]))
    }, GATHER_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [projectId, wanted])
  return names
}
