import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { eventDefinitions, propertyDefinitions } from '../api/queries.ts'
import type { EventDefinition, PropertyDefinition } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { emptyDraft } from '../insights/draft.ts'
import { ago, number, valueText } from '../lib/format.ts'
import { eventName, propertyName } from '../lib/names.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { Badge } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Tabs } from '../ui/tabs.tsx'

type View = 'events' | 'event' | 'person'

export function DefinitionsPage() {
  const navigate = useNavigate()
  const { view = 'events' } = useSearch({ strict: false }) as { view?: View }
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim())
  return (
    <Page title="Definitions" sub="Every event and property this project has seen." wide>
      <Tabs
        label="Definitions"
        value={view}
        onChange={(next) => void navigate({ to: '.', search: { view: next } as never, replace: true })}
        tabs={[
          { value: 'events', label: 'Events' },
          { value: 'event', label: 'Event properties' },
          { value: 'person', label: 'Person properties' },
        ]}
      />
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder="Search"
        aria-label="Search definitions"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {view === 'events' ? <Events search={asked} /> : <Properties search={asked} type={view} />}
    </Page>
  )
}

function Events({ search }: { search: string }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useQuery(eventDefinitions(project.id, { search, limit: 1000 }))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={10} />
  if (data.results.length === 0)
    return <EmptyState icon="definitions" title={search ? 'Nothing matches' : 'No events yet'} />
  return (
    <Table
      label="Events"
      columns={EVENT_COLUMNS}
      rows={data.results}
      rowKey={({ name }) => name}
      height={720}
      onOpen={({ name }) =>
        void navigate({
          to: '/project/$projectId/insights/new',
          params,
          search: { q: { ...emptyDraft('trends'), series: [{ event: name }] } } as never,
        })
      }
    />
  )
}

const EVENT_COLUMNS: Column<EventDefinition>[] = [
  { id: 'name', header: 'Event', cell: ({ name }) => eventName(name) },
  { id: 'raw', header: 'As sent', spare: true, cell: ({ name }) => <span className="mono tiny soft">{name}</span> },
  { id: 'volume', header: 'Seen', align: 'right', cell: ({ volume_30_day, count }) => number(volume_30_day ?? count) },
  {
    id: 'seen',
    header: 'Last seen',
    align: 'right',
    cell: ({ last_seen_at }) => (last_seen_at ? ago(last_seen_at) : '–'),
  },
]

function Properties({ search, type }: { search: string; type: 'event' | 'person' }) {
  const project = useProject()
  const { data, error, isPending, refetch } = useQuery(propertyDefinitions(project.id, { search, type, limit: 1000 }))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <SkeletonRows rows={10} />
  if (data.results.length === 0)
    return <EmptyState icon="definitions" title={search ? 'Nothing matches' : 'No properties yet'} />
  return (
    <Table
      label="Properties"
      columns={PROPERTY_COLUMNS}
      rows={data.results}
      rowKey={({ id, name }) => id ?? name}
      height={720}
    />
  )
}

const PROPERTY_COLUMNS: Column<PropertyDefinition>[] = [
  { id: 'name', header: 'Property', cell: ({ name }) => propertyName(name) },
  { id: 'raw', header: 'As sent', spare: true, cell: ({ name }) => <span className="mono tiny soft">{name}</span> },
  {
    id: 'type',
    header: 'Type',
    cell: ({ property_type }) =>
      property_type ? <Badge>{property_type}</Badge> : <span className="faint">unknown</span>,
  },
  {
    id: 'samples',
    header: 'For example',
    spare: true,
    cell: ({ samples }) => <span className="soft">{samples?.slice(0, 4).map(valueText).join(', ')}</span>,
  },
]
