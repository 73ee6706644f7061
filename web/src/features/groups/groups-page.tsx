import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Group, GroupType } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { groupTypes } from '../../api/queries.ts'
import { ago, capitalised, valueText } from '../../lib/format.ts'
import { groupName, groupWords } from '../../lib/names.ts'
import { useSearchText } from '../../lib/use-search-text.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Avatar } from '../../ui/controls.tsx'
import { Page } from '../../ui/page.tsx'
import { dimmedWhile, EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const HERE = '/project/$projectId/groups'

export function GroupsPage() {
  const project = useProject()
  const navigate = useNavigate({ from: HERE })
  const { type } = useSearch({ from: HERE })
  const { data: types, error, isPending, refetch } = useQuery(groupTypes(project.id))
  const shown = types?.find(({ group_type_index }) => group_type_index === type) ?? types?.[0]
  return (
    <Page title="Groups" sub="Companies, teams or other groups that your users belong to." wide>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} />
      ) : !shown ? (
        <NoGroups />
      ) : (
        <>
          <Tabs
            label="Group types"
            value={String(shown.group_type_index)}
            onChange={(value) => void navigate({ search: { type: Number(value) }, replace: true })}
            tabs={types.map((it) => ({ value: String(it.group_type_index), label: titleOf(it) }))}
          />
          <GroupList key={shown.group_type_index} type={shown} />
        </>
      )}
    </Page>
  )
}

const titleOf = (type: GroupType): string => capitalised(groupWords(type)[1])

type GroupPage = { next: string | null; results: Group[] }
const PAGE_SIZE = 200

/** The service links its next page by its public address; the browser keeps the host it uses. */
const inThisHost = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '')

function GroupList({ type }: { type: GroupType }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: HERE })
  const { search } = useSearch({ from: HERE })
  const { typed, setTyped, text } = useSearchText(
    search,
    (next) => void navigate({ search: (was) => ({ ...was, search: next }), replace: true, resetScroll: false }),
  )
  const { data, error, isPending, isPlaceholderData, isFetching, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['groups', String(project.id), type.group_type_index, text],
      queryFn: ({ signal, pageParam }) =>
        ask<GroupPage>(pageParam ?? inProject(project.id, 'groups/'), {
          query: pageParam ? {} : { group_type_index: type.group_type_index, search: text, limit: PAGE_SIZE },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next && inThisHost(next),
      placeholderData: keepPreviousData,
    })
  const rows = data?.pages.flatMap(({ results }) => results) ?? []
  const onSeen = (_: number, last: number) => {
    if (hasNextPage && !isFetching && last > rows.length - PAGE_SIZE / 2) void fetchNextPage()
  }
  return (
    <>
      <input
        className="input"
        style={{ maxWidth: 320 }}
        placeholder="Search by name or key"
        aria-label={`Search ${groupWords(type)[1]}`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} />
      ) : rows.length === 0 ? (
        <EmptyState icon="groups" title={text ? 'No matches' : 'No groups yet'}>
          {text
            ? 'Search covers names and keys.'
            : 'Groups of this type appear here with their first $groupidentify event.'}
        </EmptyState>
      ) : (
        <div {...dimmedWhile(isPlaceholderData)}>
          <Table
            key={text}
            label={titleOf(type)}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ group_key }) => group_key}
            link={({ group_key: groupKey }) => (
              <Link
                to="/project/$projectId/groups/$groupType/$groupKey"
                params={{ ...params, groupType: type.group_type, groupKey }}
              />
            )}
            height="max(360px, calc(100dvh - 264px))"
            onSeen={onSeen}
          />
        </div>
      )}
    </>
  )
}

const COLUMNS: Column<Group>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '28%',
    cell: (group) => (
      <span className="row">
        <Avatar name={groupName(group)} size={24} />
        <span className="truncate">{groupName(group)}</span>
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
        Set the company of an event, and insights can count companies as well as people.
      </EmptyState>
      <CodeBlock
        label="Groups in the browser"
        code={"posthog.group('company', 'acme', { name: 'Acme', plan: 'scale' })"}
      />
    </div>
  )
}
