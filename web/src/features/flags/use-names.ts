import { useQuery } from '@tanstack/react-query'
import { useProject } from '../../api/project.tsx'
import { cohorts, featureFlags } from '../../api/queries.ts'
import type { Names } from './sentences.ts'

/** The names of cohorts and flags that rules name by id; asked for only where rules do. */
export function useNames(wanted: { cohorts: boolean; flags: boolean }): Names {
  const project = useProject()
  const known = useQuery({ ...cohorts(project.id, { limit: 500 }), enabled: wanted.cohorts, staleTime: 60_000 })
  const others = useQuery({ ...featureFlags(project.id, { limit: 1000 }), enabled: wanted.flags, staleTime: 60_000 })
  return {
    cohort: (id) => known.data?.results.find((each) => String(each.id) === id)?.name || `cohort ${id}`,
    flag: (id) => others.data?.results.find((each) => String(each.id) === id)?.key ?? `flag ${id}`,
  }
}
