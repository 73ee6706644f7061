import { useState } from 'react'
import { valueText } from '../../lib/format.ts'
import { keyed } from '../../lib/keyed.ts'
import { propertyName } from '../../lib/names.ts'
import { Button, IconButton } from '../../ui/controls.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Popover } from '../../ui/popover.tsx'
import { CohortChip, readCohort, useCohortChoices } from './cohort-chip.tsx'
import type { Filter } from './draft.ts'
import { FilterForm } from './filter-form.tsx'
import { isComplete } from './node.ts'
import { needsNoValue, operatorLabel } from './operators.ts'
import { freeProperty, type PropertyType, readChoice, usePropertyChoices } from './property-choices.ts'
import './filters.css'

/** Conditions that must all hold. */
export function FilterList({
  filters,
  onChange,
  types,
  event,
  label = 'Filter',
}: {
  filters: readonly Filter[]
  onChange: (filters: Filter[]) => void
  types: readonly PropertyType[]
  event?: string | null | undefined
  label?: string
}) {
  const { choices, loading } = usePropertyChoices(types, event)
  const cohorts = useCohortChoices(types.includes('person'))
  // The property that was just chosen: its values are offered at once.
  const [fresh, setFresh] = useState<number | null>(null)
  const add = (value: string) => {
    const cohort = readCohort(value)
    if (cohort !== undefined)
      return onChange([...filters, { key: 'id', type: 'cohort', operator: 'in', value: cohort }])
    const { name, ...of } = readChoice(value)
    setFresh(filters.length)
    onChange([...filters, { key: name, ...of, operator: 'exact' }])
  }
  return (
    <div className="filters">
      {keyed(filters).map(({ key, item: filter, index }) => {
        const Chip = filter.type === 'cohort' ? CohortChip : FilterChip
        return (
          <Chip
            key={key}
            filter={filter}
            startsOpen={index === fresh}
            onChange={(next) => onChange(filters.map((other, i) => (i === index ? next : other)))}
            onRemove={() => {
              setFresh(null)
              onChange(filters.filter((_, i) => i !== index))
            }}
          />
        )
      })}
      <Picker
        label="Properties"
        choices={[...choices, ...cohorts.choices]}
        loading={loading || cohorts.loading}
        free={freeProperty(types[0] ?? 'event')}
        onPick={add}
        trigger={(props) => (
          <Button small kind="quiet" icon="filter" {...props}>
            {label}
          </Button>
        )}
      />
    </div>
  )
}

function FilterChip({
  filter,
  startsOpen,
  onChange,
  onRemove,
}: {
  filter: Filter
  startsOpen: boolean
  onChange: (filter: Filter) => void
  onRemove: () => void
}) {
  const unfinished = !isComplete(filter)
  const shown = Array.isArray(filter.value)
    ? filter.value.map(valueText).join(' or ')
    : valueText(filter.value ?? undefined)
  return (
    <span className={`filter ${unfinished ? 'filter-unfinished' : ''}`}>
      <Popover
        startsOpen={startsOpen}
        focus=".filter-value"
        label={`Filter on ${propertyName(filter.key)}`}
        trigger={(props) => (
          <button
            type="button"
            className="filter-face"
            title={unfinished ? 'No value yet: this condition is not applied' : undefined}
            {...props}
          >
            <span className="truncate">
              {propertyName(filter.key)} <span className="soft">{operatorLabel(filter.operator)}</span>{' '}
              {needsNoValue(filter.operator) ? '' : unfinished ? <em>choose a value</em> : shown}
            </span>
          </button>
        )}
      >
        {(close) => <FilterForm filter={filter} onChange={onChange} onDone={close} />}
      </Popover>
      <IconButton label={`Remove the filter on ${propertyName(filter.key)}`} icon="close" small onClick={onRemove} />
    </span>
  )
}
