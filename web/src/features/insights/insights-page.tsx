import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Insight } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { insights } from '../../api/queries.ts'
import { ago } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { Badge } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { emptyDraft } from './draft.ts'
import { iconOf, KIND_LOOKS, kindName } from './kinds.ts'
import { draftOf } from './saved.ts'
import './insights-page.css'

export function InsightsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate({ from: '/project/$projectId/insights' })
  const { view = 'all' } = useSearch({ from: '/project/$projectId/insights' })
  const [search, setSearch] = useState('')
  const asked = useDebounced(search.trim())
  const { data, error, isPending, refetch } = useQuery(
    insights(project.id, {
      saved: true,
      search: asked,
      limit: 200,
      ...(view === 'favourites' ? { favorited: true } : view === 'mine' ? { user: true } : {}),
    }),
  )
  return (
    <Page title="Insights">
      <nav className="starts" aria-label="New insight">
        {KIND_LOOKS.map(({ kind, icon, title, text }) => (
          <Link
            key={kind}
            to="/project/$projectId/insights/new"
            params={params}
            search={{ q: emptyDraft(kind) }}
            className="start"
          >
            <Icon name={icon} size={20} />
            <span>
              <span className="start-title">{title}</span>
              <span className="start-text">{text}</span>
            </span>
          </Link>
        ))}
      </nav>
      <div className="saved-head">
        <Tabs
          label="Saved insights"
          value={view}
          onChange={(next) => void navigate({ search: { view: next }, replace: true })}
          tabs={[
            { value: 'all', label: 'Saved' },
            { value: 'favourites', label: 'Favourites' },
            { value: 'mine', label: 'Mine' },
          ]}
        />
        <input
          className="input"
          placeholder="Search saved insights"
          aria-label="Search saved insights"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} rows={8} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="insights" title={asked ? 'No matches' : 'Nothing saved yet'}>
          Start one above and save it.
        </EmptyState>
      ) : (
        <Table
          label="Saved insights"
          columns={COLUMNS}
          rows={data.results}
          rowKey={({ short_id }) => short_id}
          link={({ short_id: shortId }) => (
            <Link to="/project/$projectId/insights/$shortId" params={{ ...params, shortId }} />
          )}
        />
      )}
    </Page>
  )
}

const COLUMNS: Column<Insight>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '44%',
    cell: (insight) => (
      <span className="row">
        <Icon name={iconOf(draftOf(insight)?.kind)} size={16} className="faint" />
        <span className="truncate">{insight.name || insight.derived_name || 'Untitled'}</span>
        {insight.favorited && <Icon name="star" size={14} className="starred" />}
      </span>
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '112px',
    spare: true,
    cell: (insight) => <span className="soft">{kindName(draftOf(insight)?.kind)}</span>,
  },
  {
    id: 'tags',
    header: 'Tags',
    spare: true,
    cell: ({ tags }) => (
      <span className="row">
        {tags?.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: 'by',
    header: 'By',
    width: '160px',
    spare: true,
    cell: ({ created_by }) => userName(created_by),
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '112px',
    align: 'right',
    cell: ({ last_modified_at }) => ago(last_modified_at),
  },
]
