import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { groups, groupTypes } from '../api/queries.ts'
import type { Group, GroupType } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago, valueText } from '../lib/format.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { CodeBlock } from '../ui/code.tsx'
import { Avatar } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../ui/table.tsx'
import { Tabs } from '../ui/tabs.tsx'

export function GroupsPage() {
  const project = useProject()
  const navigate = useNavigate()
  const { type } = useSearch({ strict: false }) as { type?: number }
  const { data: types, error, isPending, refetch } = useQuery(groupTypes(project.id))
  const shown = types?.find(({ group_type_index }) => group_type_index === type) ?? types?.[0]
  return (
    <Page title="Groups" sub="Companies, teams or whatever your people belong to." wide>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} />
      ) : !shown ? (
        <NoGroups />
      ) : (
        <>
          <Tabs
            label="Kinds of groups"
            value={String(shown.group_type_index)}
            onChange={(value) => void navigate({ to: '.', search: { type: Number(value) } as never, replace: true })}
            tabs={types.map((it) => ({ value: String(it.group_type_index), label: titleOf(it) }))}
          />
          <GroupList key={shown.group_type_index} type={shown} />
        </>
      )}
    </Page>
  )
}

const titleOf = ({ name_plural, group_type }: GroupType): string => name_plural || group_type

function GroupList({ type }: { type: GroupType }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(
    groups(project.id, { group_type_index: type.group_type_index, search: asked, limit: 500 }),
  )
  const open = ({ group_key }: Group) =>
    void navigate({
      to: '/project/$projectId/groups/$groupType/$groupKey',
      params: { ...params, groupType: type.group_type, groupKey: group_key },
    })
  return (
    <>
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder={`Search ${titleOf(type)}`}
        aria-label={`Search ${titleOf(type)}`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="groups" title="None found" />
      ) : (
        <Table
          label={titleOf(type)}
          columns={COLUMNS}
          rows={data.results}
          rowKey={({ group_key }) => group_key}
          onOpen={open}
          height={720}
        />
      )}
    </>
  )
}

const nameOf = ({ group_key, group_properties }: Group): string => valueText(group_properties.name ?? group_key)

const COLUMNS: Column<Group>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '28%',
    cell: (group) => (
      <span className="row">
        <Avatar name={nameOf(group)} size={24} />
        <span className="truncate">{nameOf(group)}</span>
      </span>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    width: '20%',
    spare: true,
    cell: ({ group_key }) => <span className="soft mono tiny">{group_key}</span>,
  },
  {
    id: 'properties',
    header: 'Properties',
    spare: true,
    cell: ({ group_properties }) => (
      <span className="soft">
        {Object.entries(group_properties)
          .filter(([key]) => key !== 'name')
          .slice(0, 4)
          .map(([key, value]) => `${key}: ${valueText(value)}`)
          .join(' · ')}
      </span>
    ),
  },
  { id: 'created', header: 'First seen', width: '112px', align: 'right', cell: ({ created_at }) => ago(created_at) },
]

function NoGroups() {
  return (
    <div className="stack" style={{ maxWidth: 640 }}>
      <EmptyState icon="groups" title="No groups yet">
        Tell which company an event belongs to, and insights can count companies instead of people.
      </EmptyState>
      <CodeBlock
        label="Groups in the browser"
        code={"posthog.group('company', 'acme', { name: 'Acme', plan: 'scale' })"}
      />
    </div>
  )
}
