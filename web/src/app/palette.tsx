import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useProject, useProjectParams } from '../api/project.tsx'
import { eventDefinitions, insights, persons } from '../api/queries.ts'
import { emptyDraft } from '../features/insights/index.ts'
import { ago } from '../lib/format.ts'
import { eventName, personName } from '../lib/names.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { type Choice, ChoiceList } from '../ui/choice-list.tsx'
import { PLACES } from './places.ts'
import '../ui/dialog.css'

interface Found extends Choice {
  go: () => void
}

/** Ctrl K: pages, persons, insights and events by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [search, setSearch] = useState('')
  const found = useFound(search)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-veil" />
        <Dialog.Viewport className="palette-place">
          <Dialog.Popup className="palette" aria-label="Search">
            <ChoiceList
              label="Search"
              placeholder="Pages, persons, insights, events"
              search={search}
              onSearch={setSearch}
              choices={found}
              onPick={({ go }) => {
                onClose()
                go()
              }}
            />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
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
    ...places.map(({ to, label }) => ({ value: to, group: 'Pages', label, go: () => void navigate({ to, params }) })),
    ...(enabled
      ? [
          ...people.map((person) => ({
            value: person.uuid,
            group: 'Persons',
            label: personName(person),
            note: person.distinct_ids[0],
            go: () =>
              void navigate({
                to: '/project/$projectId/persons/$personId',
                params: { ...params, personId: person.uuid },
              }),
          })),
          ...saved.map((insight) => ({
            value: insight.short_id,
            group: 'Insights',
            label: insight.name || insight.derived_name || 'Untitled',
            go: () =>
              void navigate({
                to: '/project/$projectId/insights/$shortId',
                params: { ...params, shortId: insight.short_id },
              }),
          })),
          ...known.map((definition) => ({
            value: definition.name,
            group: 'Events',
            label: eventName(definition.name),
            note: definition.last_seen_at ? ago(definition.last_seen_at) : undefined,
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
