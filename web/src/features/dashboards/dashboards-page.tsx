import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { BasicDashboard } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { dashboards } from '../../api/queries.ts'
import { ago } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { NameDashboard } from './dialogs.tsx'

export function DashboardsPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const { data, error, isPending, refetch } = useQuery(dashboards(project.id, { limit: 200 }))
  const open = (id: number) =>
    void navigate({ to: '/project/$projectId/dashboards/$dashboardId', params: { ...params, dashboardId: String(id) } })
  const make = (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New dashboard
    </Button>
  )
  return (
    <Page title="Dashboards" actions={make}>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <TableSkeleton columns={COLUMNS} rows={4} />
      ) : data.results.length === 0 ? (
        <EmptyState icon="dashboards" title="No dashboards yet" action={make}>
          A dashboard shows several insights at once.
        </EmptyState>
      ) : (
        <Table
          label="Dashboards"
          columns={COLUMNS}
          rows={data.results}
          rowKey={({ id }) => String(id)}
          link={({ id }) => (
            <Link to="/project/$projectId/dashboards/$dashboardId" params={{ ...params, dashboardId: String(id) }} />
          )}
        />
      )}
      {making && <NameDashboard onClose={() => setMaking(false)} onSaved={({ id }) => open(id)} />}
    </Page>
  )
}

const COLUMNS: Column<BasicDashboard>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '36%',
    cell: ({ name }) => (
      <span className="row">
        <Icon name="dashboards" size={16} className="faint" />
        <span className="truncate">{name || 'Untitled'}</span>
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    spare: true,
    cell: ({ description }) => <span className="soft">{description}</span>,
  },
  {
    id: 'by',
    header: 'By',
    width: '160px',
    spare: true,
    cell: ({ created_by }) => userName(created_by),
  },
  { id: 'created', header: 'Created', width: '112px', align: 'right', cell: ({ created_at }) => ago(created_at) },
]
