import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { events } from '../../api/queries.ts'
import type { LiveEvent } from '../../api/use-live.ts'

const MOST = 30

/** The last events that were stored before the page was opened, in the shape of the stream. */
export function useRecent(projectId: number): LiveEvent[] {
  const [before] = useState(() => new Date().toISOString())
  const { data } = useQuery({
    ...events(projectId, { limit: MOST, before }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (data?.results ?? []).map(({ id, event, distinct_id, timestamp, properties, person }, index) => ({
    key: -1 - index,
    outcome: 'stored',
    uuid: id,
    event,
    distinct_id,
    person_id: person?.uuid ?? null,
    timestamp,
    received_at: timestamp,
    properties,
    warnings: [],
  }))
}
