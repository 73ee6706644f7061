import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, inProject } from '../api/http.ts'
import { dashboard as dashboardQuery } from '../api/queries.ts'
import type { Dashboard } from '../api/types.ts'
import { Grid } from '../dashboards/grid.tsx'
import type { Box } from '../dashboards/layout.ts'
import { useProject, useProjectParams } from '../frame/project.tsx'
import { DateRange } from '../insights/builder/date-range.tsx'
import { Button } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { say, sayFailure } from '../ui/toast.tsx'

export function DashboardPage() {
  const project = useProject()
  const { dashboardId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery(dashboardQuery(project.id, dashboardId))
  if (error)
    return (
      <Page title="Dashboard">
        <ErrorState error={error} retry={() => refetch()} />
      </Page>
    )
  if (!data)
    return (
      <Page title="Dashboard">
        <SkeletonRows rows={8} height={32} />
      </Page>
    )
  return <Known dashboard={data} />
}

function Known({ dashboard }: { dashboard: Dashboard }) {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { from, to } = useSearch({ strict: false }) as { from?: string; to?: string }
  const [editing, setEditing] = useState(false)
  const tiles = (dashboard.tiles ?? []).filter(
    ({ insight, deleted }) => insight !== null && !insight?.deleted && !deleted,
  )
  const save = useMutation({
    mutationFn: (boxes: Box[]) =>
      ask<Dashboard>(inProject(project.id, `dashboards/${dashboard.id}/`), {
        method: 'PATCH',
        body: { tiles: boxes.map(({ id, x, y, w, h }) => ({ id, layouts: { sm: { x, y, w, h } } })) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['dashboard'] }),
    onError: sayFailure,
  })
  const remove = useMutation({
    mutationFn: () =>
      ask(inProject(project.id, `dashboards/${dashboard.id}/`), { method: 'PATCH', body: { deleted: true } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['dashboards'] })
      say('Deleted')
      await navigate({ to: '/project/$projectId/dashboards', params })
    },
    onError: sayFailure,
  })
  return (
    <Page
      title={dashboard.name || 'Untitled'}
      sub={dashboard.description || undefined}
      wide
      actions={
        <>
          <DateRange
            from={from ?? ''}
            to={to}
            zone={project.timezone}
            onChange={(begin, end) => void navigate({ to: '.', search: { from: begin, to: end } as never })}
          />
          {from && (
            <Button kind="quiet" icon="close" onClick={() => void navigate({ to: '.', search: {} as never })}>
              Own dates
            </Button>
          )}
          <Button icon="refresh" onClick={() => client.invalidateQueries({ queryKey: ['answer'] })}>
            Refresh
          </Button>
          <Button icon={editing ? 'check' : 'edit'} onClick={() => setEditing(!editing)} aria-pressed={editing}>
            {editing ? 'Done' : 'Arrange'}
          </Button>
          {editing && (
            <Button kind="danger" icon="trash" onClick={() => remove.mutate()} busy={remove.isPending}>
              Delete
            </Button>
          )}
        </>
      }
    >
      {tiles.length === 0 ? (
        <EmptyState
          icon="dashboards"
          title="Nothing on it yet"
          action={
            <Link to="/project/$projectId/insights" params={params} className="button button-primary">
              <Icon name="plus" size={16} /> Build an insight
            </Link>
          }
        >
          Open or build an insight and choose "Add to dashboard".
        </EmptyState>
      ) : (
        <Grid
          tiles={tiles}
          editing={editing}
          dates={from ? { from, ...(to ? { to } : {}) } : undefined}
          onArrange={(boxes) => save.mutate(boxes)}
        />
      )}
    </Page>
  )
}
