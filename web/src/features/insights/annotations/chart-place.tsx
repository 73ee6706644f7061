import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useMemo } from 'react'
import { useProject } from '../../../api/project.tsx'
import { annotations } from '../../../api/queries.ts'
import { annotationsOn, type ChartPlace, type Dated } from './notes.ts'

/** On which insight and dashboard the charts inside stand. */
export const ChartPlaceContext = createContext<ChartPlace>({})

const NONE: readonly Dated[] = []

/** The annotations of the project's charts: few, so all are asked for once and chosen from. */
export function useAnnotations(days: readonly string[]): readonly Dated[] {
  const project = useProject()
  const { insight, dashboard } = useContext(ChartPlaceContext)
  const { data } = useQuery({ ...annotations(project.id), staleTime: 60_000, retry: false })
  const [first = '', last = ''] = [days[0], days.at(-1)]
  return useMemo(() => {
    if (!data || first === '') return NONE
    // A day of slack on both sides for time zones; the buckets decide.
    const from = Date.parse(`${first.slice(0, 10)}T00:00:00Z`) - DAY
    const inTime = annotationsOn(data.results, { insight, dashboard }).filter(
      ({ date_marker }) => Date.parse(date_marker) >= from && Date.parse(date_marker) <= endOf(last),
    )
    return inTime.length === 0 ? NONE : inTime
  }, [data, insight, dashboard, first, last])
}

const DAY = 86_400_000

/** The end of the last bucket is at most a month later, and nothing is drawn that lies ahead. */
const endOf = (last: string): number =>
  Math.max(Date.now(), Number.isNaN(Date.parse(last)) ? 0 : Math.min(Date.parse(last) + 31 * DAY, Date.now()))
