import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Person } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { ago, dateTime, plural, valueText } from '../../lib/format.ts'
import { lastSeenOf, personName } from '../../lib/names.ts'
import { useSearchText } from '../../lib/use-search-text.ts'
import { Avatar } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { dimmedWhile, EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { FilterList, isComplete, Unfinished } from '../insights/index.ts'
import type { PersonsSearch } from './search.ts'
import { usePersonList } from './use-person-list.ts'

/** The table takes what the screen leaves. */
const HEIGHT = 'max(360px, calc(100dvh - 224px))'

export function PersonsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/persons' })
  const {
    filters = [],
    offset = 0,
    search,
    order = '-last_seen_at',
  } = useSearch({ from: '/project/$projectId/persons' })
  const { typed, setTyped, text } = useSearchText(search, (next) => void change({ search: next }))
  const change = (next: PersonsSearch) =>
    navigate({
      search: (was) => ({ ...was, offset: undefined, ...next }),
      replace: true,
      resetScroll: false,
    })

  const columns = useMemo(() => columnsIn(project.timezone), [project.timezone])
  const properties = filters.filter(isComplete)
  const narrowed = text !== '' || properties.length > 0
  const asked = {
    order,
    ...(text === '' ? {} : { search: text }),
    ...(properties.length > 0 ? { properties: JSON.stringify(properties) } : {}),
  }
  const { rows, count, seen, onSeen, isPending, isStale, error, retry } = usePersonList(project.id, asked)
  const open = async (person: Person) => {
    // So that going back shows the same rows.
    await change({ offset: seen.first })
    await navigate({ to: '/project/$projectId/persons/$personId', params: { ...params, personId: person.uuid } })
  }
  return (
    <Page title="Persons" sub={count === undefined ? ' ' : sum(count, narrowed)} wide>
      <div className="row-wrap">
        <input
          className="input"
          style={{ maxWidth: 320 }}
          placeholder="Search by email or distinct id"
          aria-label="Search persons"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <FilterList
          filters={filters}
          types={['person']}
          onChange={(next) => void change({ filters: next.length > 0 ? next : undefined })}
        />
      </div>
      <Unfinished filters={filters} />
      {error && <ErrorState error={error} retry={retry} />}
      {error && rows.length === 0 ? null : isPending ? (
        <TableSkeleton columns={columns} rows={14} />
      ) : rows.length === 0 ? (
        <EmptyState icon="persons" title={narrowed ? 'No matches' : 'No persons yet'}>
          {narrowed
            ? 'Search matches part of an email or a complete distinct id. Filters use current properties.'
            : 'Persons appear here with their first event.'}
        </EmptyState>
      ) : (
        <div {...dimmedWhile(isStale)}>
          <Table
            key={JSON.stringify(asked)}
            label="Persons"
            columns={columns}
            rows={rows}
            // Somebody who came meanwhile may stand on two pages.
            rowKey={(person, index) => `${index} ${person.uuid}`}
            link={(person) => (
              <Link
                to="/project/$projectId/persons/$personId"
                params={{ ...params, personId: person.uuid }}
                onClick={(event) => {
                  if (seen.first === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
                  event.preventDefault()
                  void open(person)
                }}
              />
            )}
            height={HEIGHT}
            sorting={{ by: order, onSort: (by) => void change({ order: by as PersonsSearch['order'] }) }}
            startAt={offset}
            onSeen={onSeen}
          />
        </div>
      )}
    </Page>
  )
}

const sum = (count: number, narrowed: boolean): string =>
  `${plural(count, 'person', 'people')}${!narrowed ? '' : count === 1 ? ' matches' : ' match'}`

const columnsIn = (zone: string): Column<Person>[] => [
  {
    id: 'name',
    header: 'Person',
    width: '34%',
    cell: (person) => (
      <span className="row">
        <Avatar name={personName(person)} size={24} />
        <span className="truncate">{personName(person)}</span>
      </span>
    ),
  },
  {
    id: 'ids',
    width: '16%',
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
    sort: 'created_at',
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
    sort: 'last_seen_at',
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
