import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { BlastRadius } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { groupTypes } from '../../api/queries.ts'
import { number } from '../../lib/format.ts'
import { groupWords } from '../../lib/names.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { type Condition, conditionDocument } from './document.ts'

/** How many people (or groups) a condition is about right now: "1,204 of 9,870 people". */
export function Matching({ condition, groupType }: { condition: Condition; groupType: number | null }) {
  const project = useProject()
  const { properties } = conditionDocument(condition)
  const asked = useDebounced(JSON.stringify(properties))
  const types = useQuery({ ...groupTypes(project.id), enabled: groupType !== null, staleTime: 60_000 })
  const { data, error } = useQuery({
    queryKey: ['flag-matching', project.id, asked, groupType],
    queryFn: ({ signal }) =>
      ask<BlastRadius>(inProject(project.id, 'feature_flags/user_blast_radius/'), {
        body: { condition: { properties: JSON.parse(asked) as unknown }, group_type_index: groupType },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
  })
  const type = types.data?.find(({ group_type_index }) => group_type_index === groupType)
  const words = groupType === null ? 'people' : type ? groupWords(type)[1] : 'groups'
  if (error) return <span className="small field-error">{error.message}</span>
  if (!data) return <span className="small soft">Counting</span>
  return (
    <span className="small soft" aria-live="polite">
      {data.is_estimate ? 'about ' : ''}
      {number(data.affected)} of {number(data.total)} {words}
    </span>
  )
}
