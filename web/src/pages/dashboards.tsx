import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { dashboards } from '../api/queries.ts'
import type { Dashboard } from '../api/types.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { ago } from '../lib/format.ts'
import { Button, TextField } from '../ui/controls.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'

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
        <SkeletonRows rows={6} height={22} />
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
          onOpen={({ id }) => open(id)}
        />
      )}
      {making && <NewDashboard onClose={() => setMaking(false)} onMade={open} />}
    </Page>
  )
}

const COLUMNS: Column<Dashboard>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => (
      <span className="row">
        <Icon name="dashboards" size={16} className="faint" /> {name || 'Untitled'}
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    spare: true,
    cell: ({ description }) => <span className="soft">{description}</span>,
  },
  { id: 'by', header: 'By', spare: true, cell: ({ created_by }) => created_by?.first_name || created_by?.email || '' },
  { id: 'created', header: 'Created', align: 'right', cell: ({ created_at }) => ago(created_at) },
]

function NewDashboard({ onClose, onMade }: { onClose: () => void; onMade: (id: number) => void }) {
  const project = useProject()
  const client = useQueryClient()
  const create = useMutation({
    mutationFn: (name: string) => ask<Dashboard>(inProject(project.id, 'dashboards/'), { body: { name } }),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['dashboards'] })
      onMade(id)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  return (
    <Dialog title="New dashboard" onClose={onClose}>
      <form className="stack" style={{ gap: 14 }} onSubmit={submit}>
        <TextField label="Name" name="name" required maxLength={400} autoFocus error={create.error?.message ?? null} />
        <DialogActions>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
