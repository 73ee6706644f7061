import { Dialog } from '@base-ui/react/dialog'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Group } from '../api/contract.ts'
import { ask, inProject } from '../api/http.ts'
import { useProject, useProjectParams } from '../api/project.tsx'
import { dashboards, eventDefinitions, groupTypes, insights, persons } from '../api/queries.ts'
import { emptyDraft } from '../features/insights/index.ts'
import { ago } from '../lib/format.ts'
import { eventName, groupName, personName } from '../lib/names.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { ChoiceList } from '../ui/choice-list.tsx'
import { type Found, useCommands } from './commands.ts'
import { PLACES } from './places.ts'
import '../ui/dialog.css'

/** Ctrl K: pages, commands, settings, and everything that has a name, by a few letters. */
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
              placeholder="Pages, commands, people, groups, insights, dashboards, events"
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
  const commands = useCommands().filter(({ label, hint = '' }) => `${label} ${hint}`.toLowerCase().includes(typed))
  const boards = useQuery({ ...dashboards(project.id, { limit: 200 }), staleTime: 60_000 }).data?.results ?? []
  const groups = useFoundGroups(asked)
  const toBoard = (id: number) =>
    void navigate({ to: '/project/$projectId/dashboards/$dashboardId', params: { ...params, dashboardId: String(id) } })
  return [
    ...places.map(({ to, label }) => ({ value: to, group: 'Pages', label, go: () => void navigate({ to, params }) })),
    ...commands,
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
          ...boards
            .filter(({ name }) => name.toLowerCase().includes(typed))
            .slice(0, 5)
            .map(({ id, name }) => ({
              value: `dashboard ${id}`,
              group: 'Dashboards',
              label: name || 'Untitled',
              go: () => toBoard(id),
            })),
          ...saved.flatMap((insight) =>
            (insight.dashboards ?? []).slice(0, 1).map((id) => ({
              value: `tile ${insight.short_id}`,
              group: 'Tiles',
              label: insight.name || insight.derived_name || 'Untitled',
              hint: `on ${boards.find((board) => board.id === id)?.name || 'a dashboard'}`,
              go: () => toBoard(id),
            })),
          ),
          ...groups.map(({ type, key, name }) => ({
            value: `group ${type} ${key}`,
            group: 'Groups',
            label: name,
            note: type,
            go: () =>
              void navigate({
                to: '/project/$projectId/groups/$groupType/$groupKey',
                params: { ...params, groupType: type, groupKey: key },
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

/** Groups of every type, by name or key. */
function useFoundGroups(search: string): { type: string; key: string; name: string }[] {
  const project = useProject()
  const { data: types = [] } = useQuery({ ...groupTypes(project.id), staleTime: 60_000 })
  const found = useQueries({
    queries: types.map(({ group_type: type, group_type_index }) => ({
      queryKey: ['groups-found', String(project.id), group_type_index, search],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { results } = await ask<{ results: Group[] }>(inProject(project.id, 'groups/'), {
          query: { group_type_index, search, limit: 3 },
          signal,
        })
        return results.map((group) => ({ type, key: group.group_key, name: groupName(group) }))
      },
      enabled: search !== '',
      staleTime: 60_000,
    })),
  })
  return found.flatMap(({ data = [] }) => data)
}
