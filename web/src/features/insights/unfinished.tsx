import { propertyName } from '../../lib/names.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Draft, Filter } from './draft.ts'
import { allFilters } from './filter-groups.ts'
import { isComplete } from './node.ts'
import { operatorLabel } from './operators.ts'

/**
 * Conditions that still lack their value. They cannot be asked about, so an answer is one without them: whatever shows
 * such an answer says so, and nothing that is kept (a cohort, an action) can be saved with them.
 */
export const unfinished = (filters: readonly Filter[]): Filter[] => filters.filter((filter) => !isComplete(filter))

export const unfinishedIn = ({ series, ...filtered }: Draft): Filter[] =>
  unfinished([...allFilters(filtered), ...series.flatMap(({ filters: own = [] }) => own)])

/** "plan is …" */
export const unfinishedText = ({ key, operator }: Filter): string =>
  `${propertyName(key)} ${operatorLabel(operator)} \u2026`

/** What an answer says of the conditions it leaves out. */
export function Unfinished({ filters }: { filters: readonly Filter[] }) {
  const open = unfinished(filters)
  if (open.length === 0) return null
  return (
    <p className="unfinished-note" role="status">
      <Icon name="alert" size={15} />
      <span>
        Not applied, because {open.length === 1 ? 'it has' : 'they have'} no value yet:{' '}
        <b>{open.map(unfinishedText).join(', ')}</b>
      </span>
    </p>
  )
}

/** Why something cannot be saved with these conditions; null if it can. */
export function whyUnfinished(filters: readonly Filter[]): string | null {
  const [first] = unfinished(filters)
  return first ? `"${unfinishedText(first)}" has no value yet. Choose one, or remove the condition.` : null
}
