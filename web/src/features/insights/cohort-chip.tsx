import { useQuery } from '@tanstack/react-query'
import { useProject } from '../../api/project.tsx'
import { cohorts } from '../../api/queries.ts'
import { short } from '../../lib/format.ts'
import type { Choice } from '../../ui/choice-list.tsx'
import { IconButton } from '../../ui/controls.tsx'
import type { Filter } from './draft.ts'

/** Cohorts to choose from beside properties. The value of a choice is `cohort:id`. */
export function useCohortChoices(wanted: boolean): { readonly choices: Choice[]; readonly loading: boolean } {
  const project = useProject()
  const { data, isLoading } = useQuery({ ...cohorts(project.id, { limit: 500 }), enabled: wanted, staleTime: 60_000 })
  const found = wanted ? (data?.results ?? []) : []
  const choices = found.map(({ id, name, count }) => ({
    value: `cohort:${id}`,
    label: name || `Cohort ${id}`,
    group: 'Cohorts',
    ...(count === null ? {} : { note: short(count) }),
  }))
  return { choices, loading: isLoading }
}

export function readCohort(value: string): number | undefined {
  const id = /^cohort:(\d+)$/.exec(value)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** In a cohort or not; a click switches between the two. */
export function CohortChip({
  filter,
  onChange,
  onRemove,
}: {
  filter: Filter
  startsOpen: boolean
  onChange: (filter: Filter) => void
  onRemove: () => void
}) {
  const names = useCohortChoices(true).choices
  const name =
    names.find(({ value }) => value === `cohort:${String(filter.value)}`)?.label ?? `Cohort ${String(filter.value)}`
  const isIn = filter.operator !== 'not_in'
  return (
    <span className="filter">
      <button
        type="button"
        className="filter-face"
        title={isIn ? 'Exclude this cohort' : 'Include only this cohort'}
        onClick={() => onChange({ ...filter, operator: isIn ? 'not_in' : 'in' })}
      >
        <span className="truncate">
          <span className="soft">{isIn ? 'in' : 'not in'}</span> {name}
        </span>
      </button>
      <IconButton label={`Remove the filter on ${name}`} icon="close" small onClick={onRemove} />
    </span>
  )
}
