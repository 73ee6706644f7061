import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { persons } from '../api/queries.ts'
import type { Person } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import type { Filter } from '../insights/draft.ts'
import { FilterList } from '../insights/filter-list.tsx'
import { isComplete } from '../insights/node.ts'
import { ago, dateTime, number, plural, valueText } from '../lib/format.ts'
import { lastSeenOf, personName } from '../lib/names.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { Avatar, Button } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'

const PAGE_SIZE = 100

export function PersonsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const {
    search = '',
    filters = [],
    offset = 0,
  } = useSearch({ strict: false }) as { search?: string; filters?: Filter[]; offset?: number }
  const [typed, setTyped] = useState(String(search))
  const asked = useDebounced(typed.trim(), 200)
  const change = (next: Record<string, unknown>) =>
    void navigate({ to: '.', search: ((was: object) => ({ ...was, ...next })) as never, replace: true })

  useEffect(() => {
    if (asked !== String(search))
      void navigate({
        to: '.',
        search: ((was: object) => ({ ...was, search: asked || undefined, offset: undefined })) as never,
        replace: true,
      })
  }, [asked, search, navigate])

  const properties = filters.filter(isComplete)
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    persons(project.id, {
      search: asked,
      limit: PAGE_SIZE,
      offset,
      ...(properties.length > 0 ? { properties: JSON.stringify(properties) } : {}),
    }),
  )
  const open = (person: Person) =>
    void navigate({ to: '/project/$projectId/persons/$personId', params: { ...params, personId: person.uuid } })
  return (
    <Page title="Persons" sub={data ? plural(data.count, 'person', 'people') : ' '} wide>
      <div className="row-wrap">
        <input
          className="input"
          style={{ maxWidth: 320 }}
          placeholder="E-mail, or a whole distinct id"
          aria-label="Search persons"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <FilterList
          filters={filters}
          types={['person']}
          onChange={(next) => change({ filters: next.length > 0 ? next : undefined, offset: undefined })}
        />
      </div>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={columns(project.timezone)} rows={14} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="persons" title={asked || properties.length > 0 ? 'Nobody matches' : 'Nobody yet'}>
          {asked || properties.length > 0
            ? 'Search finds parts of an e-mail and whole distinct ids.'
            : 'Persons appear with their first event.'}
        </EmptyState>
      ) : (
        <div className={isPlaceholderData ? 'dimmed' : undefined}>
          <Table
            label="Persons"
            columns={columns(project.timezone)}
            rows={data.results}
            rowKey={(person) => person.uuid}
            onOpen={open}
            height={720}
          />
        </div>
      )}
      {data && (data.next || offset > 0) && (
        <div className="row" style={{ justifyContent: 'center' }}>
          <Button
            disabled={offset === 0}
            icon="left"
            onClick={() => change({ offset: Math.max(0, offset - PAGE_SIZE) || undefined })}
          >
            Newer
          </Button>
          <span className="soft small" style={{ minWidth: 120, textAlign: 'center' }}>
            {number(offset + 1)} to {number(offset + data.results.length)}
          </span>
          <Button disabled={!data.next} onClick={() => change({ offset: offset + PAGE_SIZE })}>
            Older <Icon name="right" size={16} />
          </Button>
        </div>
      )}
    </Page>
  )
}

const columns = (zone: string): Column<Person>[] => [
  {
    id: 'name',
    header: 'Person',
    width: '28%',
    cell: (person) => (
      <span className="row">
        <Avatar name={personName(person)} size={24} />
        <span className="truncate">{personName(person)}</span>
      </span>
    ),
  },
  {
    id: 'ids',
    width: '20%',
    header: 'Distinct ids',
    spare: true,
    cell: (person) => (
      <span className="soft mono tiny" title={person.distinct_ids.join('\n')}>
        {idsText(person.distinct_ids)}
      </span>
    ),
  },
  {
    id: 'properties',
    header: 'Properties',
    spare: true,
    cell: (person) => <span className="soft">{someProperties(person)}</span>,
  },
  {
    id: 'created',
    header: 'First seen',
    width: '112px',
    align: 'right',
    spare: true,
    cell: (person) => (
      <span className="soft" title={dateTime(person.created_at, zone)}>
        {ago(person.created_at)}
      </span>
    ),
  },
  {
    id: 'seen',
    header: 'Last seen',
    width: '112px',
    align: 'right',
    cell: (person) => {
      const seen = lastSeenOf(person) ?? person.created_at
      return <span title={dateTime(seen, zone)}>{ago(seen)}</span>
    },
  },
]

const idsText = (ids: readonly string[]): string => (ids.length > 1 ? `${ids[0]}  +${ids.length - 1}` : (ids[0] ?? ''))

const someProperties = ({ properties }: Person): string =>
  Object.entries(properties ?? {})
    .filter(([key, value]) => !key.startsWith('$') && !['email', 'name'].includes(key) && typeof value !== 'object')
    .slice(0, 4)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(' · ')
