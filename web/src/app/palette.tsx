import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useProject, useProjectParams } from '../api/project.tsx'
import { eventDefinitions, insights, persons } from '../api/queries.ts'
import { emptyDraft } from '../features/insights/index.ts'
import { ago } from '../lib/format.ts'
import { eventName, personName } from '../lib/names.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { PLACES } from './places.ts'
import '../ui/picker.css'

interface Found {
  key: string
  group: string
  label: string
  hint?: string | undefined
  go: () => void
}

/** Ctrl K: pages, persons, insights and events by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const found = useFound(search)
  const id = useId()
  const chosen = Math.min(active, found.length - 1)

  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal()
  }, [])

  const take = (item: Found | undefined) => {
    if (!item) return
    onClose()
    item.go()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'ArrowDown') setActive(Math.min(chosen + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') take(found[chosen])
    else return
    event.preventDefault()
  }

  return (
    <dialog ref={dialog} className="palette" aria-label="Search" onClose={onClose}>
      <div className="picker">
        <input
          className="picker-search"
          placeholder="Pages, persons, insights, events"
          value={search}
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={`${id}-${chosen}`}
          onChange={(event) => {
            setSearch(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div className="picker-list" role="listbox" id={id} aria-label="Found" tabIndex={-1}>
          {found.map((item, index) => (
            <div key={item.key} role="presentation">
              {item.group !== found[index - 1]?.group && <div className="picker-group">{item.group}</div>}
              <div
                id={`${id}-${index}`}
                className="picker-choice"
                role="option"
                aria-selected={index === chosen}
                tabIndex={-1}
                onPointerMove={() => setActive(index)}
                onClick={() => take(item)}
                onKeyDown={onKeyDown}
              >
                <span className="truncate">{item.label}</span>
                {item.hint && <span className="picker-note">{item.hint}</span>}
              </div>
            </div>
          ))}
        </div>
        {found.length === 0 && <p className="picker-none">No matches.</p>}
      </div>
    </dialog>
  )
}

function useFound(search: string): Found[] {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const asked = useDebounced(search.trim(), 150)
  const enabled = asked.length > 0
  const people = useQuery({ ...persons(project.id, { search: asked, limit: 5 }), enabled }).data?.results ?? []
  const saved =
    useQuery({ ...insights(project.id, { search: asked, saved: true, limit: 5 }), enabled }).data?.results ?? []
  const known = useQuery({ ...eventDefinitions(project.id, { search: asked, limit: 5 }), enabled }).data?.results ?? []
  const typed = search.trim().toLowerCase()
  const places = PLACES.filter(({ label }) => label.toLowerCase().includes(typed))
  return [
    ...places.map(({ to, label }) => ({ key: to, group: 'Pages', label, go: () => void navigate({ to, params }) })),
    ...(enabled
      ? [
          ...people.map((person) => ({
            key: person.uuid,
            group: 'Persons',
            label: personName(person),
            hint: person.distinct_ids[0],
            go: () =>
              void navigate({
                to: '/project/$projectId/persons/$personId',
                params: { ...params, personId: person.uuid },
              }),
          })),
          ...saved.map((insight) => ({
            key: insight.short_id,
            group: 'Insights',
            label: insight.name || insight.derived_name || 'Untitled',
            go: () =>
              void navigate({
                to: '/project/$projectId/insights/$shortId',
                params: { ...params, shortId: insight.short_id },
              }),
          })),
          ...known.map((definition) => ({
            key: definition.name,
            group: 'Events',
            label: eventName(definition.name),
            hint: definition.last_seen_at ? ago(definition.last_seen_at) : undefined,
            go: () =>
              void navigate({
                to: '/project/$projectId/insights/new',
                params,
                search: { q: { ...emptyDraft('trends'), series: [{ event: definition.name }] } },
              }),
          })),
        ]
      : []),
  ]
}
