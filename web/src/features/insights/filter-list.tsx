import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { valueText } from '../../lib/format.ts'
import { keyed } from '../../lib/keyed.ts'
import { propertyName } from '../../lib/names.ts'
import { Button, IconButton, Select } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Popover } from '../../ui/popover.tsx'
import { CohortChip, readCohort, useCohortChoices } from './cohort-chip.tsx'
import type { Filter } from './draft.ts'
import { needsNoValue, OPERATORS, takesList } from './operators.ts'
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
  const ofCohorts = useCohortChoices(types.includes('person'))
  const add = (value: string) => {
    const cohort = readCohort(value)
    if (cohort !== undefined)
      return onChange([...filters, { key: 'id', type: 'cohort', operator: 'in', value: cohort }])
    const { name, ...of } = readChoice(value)
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
            onChange={(next) => onChange(filters.map((other, i) => (i === index ? next : other)))}
            onRemove={() => onChange(filters.filter((_, i) => i !== index))}
          />
        )
      })}
      <Picker
        label="Properties"
        choices={[...choices, ...ofCohorts]}
        loading={loading}
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
  onChange,
  onRemove,
}: {
  filter: Filter
  onChange: (filter: Filter) => void
  onRemove: () => void
}) {
  const operator = OPERATORS.find(({ value }) => value === filter.operator)?.label ?? filter.operator
  const shown = Array.isArray(filter.value)
    ? filter.value.map(valueText).join(' or ')
    : valueText(filter.value ?? undefined)
  return (
    <span className="filter">
      <Popover
        label={`Filter on ${propertyName(filter.key)}`}
        trigger={(props) => (
          <button type="button" className="filter-face" {...props}>
            <span className="truncate">
              {propertyName(filter.key)} <span className="soft">{operator}</span>{' '}
              {needsNoValue(filter.operator) ? '' : shown || '…'}
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

function FilterForm({
  filter,
  onChange,
  onDone,
}: {
  filter: Filter
  onChange: (filter: Filter) => void
  onDone: () => void
}) {
  const list = takesList(filter.operator)
  const [text, setText] = useState(list ? '' : valueText(filter.value ?? undefined))
  const values = Array.isArray(filter.value)
    ? filter.value.map(String)
    : filter.value === undefined || filter.value === null
      ? []
      : [String(filter.value)]
  const suggestions = useValues(filter, text)
  const add = (value: string) => {
    if (value === '' || values.includes(value)) return
    onChange({ ...filter, value: [...values, value] })
    setText('')
  }
  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (list) add(text)
        if (!list || text === '') onDone()
      }}
    >
      <Select
        label="Operator"
        options={OPERATORS}
        value={filter.operator}
        onChange={(event) => {
          const operator = event.target.value
          const { value: _, ...rest } = filter
          onChange(
            takesList(operator) === list && !needsNoValue(operator) ? { ...filter, operator } : { ...rest, operator },
          )
        }}
      />
      {!needsNoValue(filter.operator) && (
        <>
          {list && values.length > 0 && (
            <div className="row-wrap">
              {values.map((value) => (
                <button
                  key={value}
                  type="button"
                  className="value-chip"
                  onClick={() => onChange({ ...filter, value: values.filter((other) => other !== value) })}
                  aria-label={`Remove ${value}`}
                >
                  {value} <Icon name="close" size={12} />
                </button>
              ))}
            </div>
          )}
          <input
            className="input"
            placeholder={list ? 'Type a value and press Enter' : 'Value'}
            aria-label="Value"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              if (!list) onChange({ ...filter, value: event.target.value })
            }}
          />
          {list && (
            <ul className="filter-values">
              {suggestions
                .filter((value) => !values.includes(value))
                .slice(0, 8)
                .map((value) => (
                  <li key={value}>
                    <button type="button" className="menu-item" onClick={() => add(value)}>
                      <span className="truncate">{value}</span>
                    </button>
                  </li>
                ))}
            </ul>
          )}
        </>
      )}
      <Button kind="primary" type="submit" small>
        Done
      </Button>
    </form>
  )
}

/** Values the property has had, most frequent first. */
function useValues({ type, key, group_type_index }: Filter, text: string): string[] {
  const project = useProject()
  const path = VALUES_OF[type]
  const { data } = useQuery({
    queryKey: ['values', project.id, type, group_type_index, key, text],
    enabled: path !== undefined,
    queryFn: ({ signal }) =>
      ask<{ name: unknown; count?: number }[]>(inProject(project.id, path ?? ''), {
        query: { key, value: text, group_type_index },
        signal,
      }),
    retry: false,
    staleTime: 60_000,
  })
  return (Array.isArray(data) ? data : [])
    .map(({ name }) => valueText(name))
    .filter((value) => value.toLowerCase().includes(text.toLowerCase()) && value !== '')
}

const VALUES_OF: Partial<Record<Filter['type'], string>> = {
  event: 'events/values/',
  session: 'events/values/',
  person: 'persons/values/',
  group: 'groups/property_values/',
}
