import { useQuery } from '@tanstack/react-query'
import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { valueText } from '../../lib/format.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Filter } from './draft.ts'
import { needsNoValue, OPERATORS, takesList } from './operators.ts'
import { sessionValues } from './session-properties.ts'

/** How a property is compared, and with what. The values it has had are offered. */
export function FilterForm({
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
    setText('')
    if (value !== '' && !values.includes(value)) onChange({ ...filter, value: [...values, value] })
  }
  // What was typed counts without Enter too, unless it is dismissed.
  const dismissed = useRef(false)
  const keys = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') dismissed.current = true
  }
  const leave = ({ relatedTarget, currentTarget }: FocusEvent<HTMLInputElement>) => {
    const within = relatedTarget instanceof Node && currentTarget.form?.contains(relatedTarget)
    if (list && !within && !dismissed.current) add(text.trim())
  }
  return (
    <form
      className="filter-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (list) add(text.trim())
        onDone()
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
            className="input filter-value"
            placeholder={list ? 'Type a value and press Enter' : 'Value'}
            aria-label="Value"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              if (!list) onChange({ ...filter, value: event.target.value })
            }}
            onKeyDown={(event) => {
              keys(event)
              // Enter takes the value, and on nothing typed it is done.
              if (event.key !== 'Enter' || !list || text.trim() === '') return
              event.preventDefault()
              add(text.trim())
            }}
            onBlur={leave}
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
    enabled: path !== undefined || type === 'session',
    queryFn: async ({ signal }) => {
      if (path === undefined) return sessionValues(project.id, key, signal)
      const query = { key, value: text, group_type_index }
      const found = await ask<{ name: unknown; count?: number }[]>(inProject(project.id, path), { query, signal })
      return found.map(({ name }) => name)
    },
    retry: false,
    staleTime: 60_000,
  })
  return (data ?? [])
    .map((value) => valueText(value))
    .filter((value) => value.toLowerCase().includes(text.toLowerCase()) && value !== '')
}

const VALUES_OF: Partial<Record<Filter['type'], string>> = {
  event: 'events/values/',
  person: 'persons/values/',
  group: 'groups/property_values/',
}
