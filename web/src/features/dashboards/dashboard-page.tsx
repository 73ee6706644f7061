import { useIsFetching, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Dashboard, DashboardTile } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { dashboard as dashboardQuery, dashboards } from '../../api/queries.ts'
import { rangeProblem } from '../../lib/ranges.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { say, sayFailure, sayUndoable } from '../../ui/toast.tsx'
import { ToggleButton } from '../../ui/toggle-button.tsx'
import { DateRange, FilterList, Unfinished } from '../insights/index.ts'
import { useRemoval } from '../lists/index.ts'
import { AddTile, TextForm } from './add-tile.tsx'
import { NameDashboard } from './dialogs.tsx'
import { Grid } from './grid.tsx'
import type { Box } from './layout.ts'
import { duplicate } from './make-tiles.ts'
import './grid.css'

const HERE = '/project/$projectId/dashboards/$dashboardId'

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
  if (!data) return <Waiting />
  return <Known dashboard={data} key={data.id} />
}

function Known({ dashboard }: { dashboard: Dashboard }) {
  const project = useProject()
  const client = useQueryClient()
  const { from, to, filters = [], every } = useSearch({ from: HERE })
  useAutoRefresh(every)
  const navigate = useNavigate({ from: HERE })
  const wrong = rangeProblem({ from: from ?? '', to }, project.timezone)
  const [editing, setEditing] = useState(false)
  const [writing, setWriting] = useState<DashboardTile | null>(null)
  const whole = useRef<HTMLDivElement>(null)
  const tiles = (dashboard.tiles ?? []).filter(
    ({ insight, text, deleted }) => (text !== null || (insight !== null && !insight.deleted)) && !deleted,
  )
  const change = useMutation({
    mutationFn: (changes: object[]) =>
      ask<Dashboard>(inProject(project.id, `dashboards/${dashboard.id}/`), {
        method: 'PATCH',
        body: { tiles: changes },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['dashboard'] }),
    onError: sayFailure,
  })
  const arrange = (boxes: Box[]) =>
    change.mutate(boxes.map(({ id, x, y, w, h }) => ({ id, layouts: { sm: { x, y, w, h } } })))
  const remove = (tile: DashboardTile) => {
    const name = tile.insight?.name || tile.insight?.derived_name || 'the tile'
    const back = () => change.mutateAsync([{ id: tile.id, deleted: false }])
    change.mutate([{ id: tile.id, deleted: true }], {
      onSuccess: () => sayUndoable(`Took ${name} off the dashboard. The insight is kept.`, back),
    })
  }
  return (
    <Page
      title={dashboard.name || 'Untitled'}
      sub={dashboard.description || undefined}
      wide
      actions={
        <Actions
          dashboard={dashboard}
          editing={editing}
          onEdit={() => setEditing(!editing)}
          onFull={() => void whole.current?.requestFullscreen().catch(sayFailure)}
        />
      }
    >
      {tiles.length > 0 && (
        <div className="row-wrap">
          <FilterList
            filters={filters}
            types={['event', 'person', 'session', 'group']}
            label="Filter all tiles"
            onChange={(next) =>
              void navigate({
                search: (was) => ({ ...was, filters: next.length > 0 ? next : undefined }),
                replace: true,
                resetScroll: false,
              })
            }
          />
          <span className="grow" />
          <Select
            label="Auto refresh"
            value={String(every ?? 0)}
            options={EVERY}
            onChange={({ target }) =>
              void navigate({ search: (was) => ({ ...was, every: Number(target.value) || undefined }), replace: true })
            }
          />
        </div>
      )}
      <Unfinished filters={filters} />
      {wrong ? (
        <EmptyState icon="calendar" title="No result for these dates">
          {wrong.text}
        </EmptyState>
      ) : tiles.length === 0 ? (
        <EmptyState icon="dashboards" title="This dashboard is empty" action={<AddTile dashboard={dashboard} />}>
          Add insights, texts and lists of recordings.
        </EmptyState>
      ) : (
        <div ref={whole} className="dashboard">
          <Grid
            tiles={tiles}
            editing={editing}
            forAll={{ dashboard: dashboard.id, ...(from ? { from, ...(to ? { to } : {}) } : {}), filters }}
            onArrange={arrange}
            onRemove={remove}
            onText={setWriting}
          />
        </div>
      )}
      {writing && (
        <TextForm
          body={writing.text?.body ?? ''}
          busy={change.isPending}
          onClose={() => setWriting(null)}
          onSave={(body) => change.mutate([{ id: writing.id, text: { body } }], { onSuccess: () => setWriting(null) })}
        />
      )}
    </Page>
  )
}

const EVERY = [
  { value: '0', label: 'No auto refresh' },
  { value: '1', label: 'Every minute' },
  { value: '5', label: 'Every 5 minutes' },
  { value: '15', label: 'Every 15 minutes' },
]

/** Asks all tiles again after so many minutes. */
function useAutoRefresh(minutes: number | undefined) {
  const client = useQueryClient()
  const every = EVERY.some(({ value }) => Number(value) === minutes) ? (minutes ?? 0) : 0
  useEffect(() => {
    if (every === 0) return
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: ['answer'] }), every * 60_000)
    return () => clearInterval(timer)
  }, [every, client])
}

function Actions({
  dashboard,
  editing,
  onEdit,
  onFull,
}: {
  dashboard: Dashboard
  editing: boolean
  onEdit: () => void
  onFull: () => void
}) {
  const project = useProject()
  const navigate = useNavigate({ from: HERE })
  const client = useQueryClient()
  const { from, to } = useSearch({ from: HERE })
  const asking = useIsFetching({ queryKey: ['answer'] }) > 0
  const params = useProjectParams()
  const copy = useMutation({
    mutationFn: () => duplicate(project.id, dashboard),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: ['dashboards'] })
      await navigate({ to: HERE, params: { ...params, dashboardId: String(id) }, search: {} })
      say(`This is ${name}`)
    },
    onError: sayFailure,
  })
  const [naming, setNaming] = useState(false)
  const removal = useRemoval()
  const remove = () =>
    removal.mutate({
      path: inProject(project.id, `dashboards/${dashboard.id}/`),
      name: dashboard.name || 'the dashboard',
      note: 'Its insights are kept.',
      keys: ['dashboard', 'dashboards'],
      leave: () => navigate({ to: '/project/$projectId/dashboards', params, replace: true }),
    })
  return (
    <>
      <DateRange
        from={from ?? ''}
        to={to}
        zone={project.timezone}
        onChange={(begin, end) => void navigate({ search: (was) => ({ ...was, from: begin, to: end }) })}
      />
      {(from || to) && (
        <Button
          kind="quiet"
          icon="close"
          onClick={() => void navigate({ search: (was) => ({ ...was, from: undefined, to: undefined }) })}
        >
          Clear dates
        </Button>
      )}
      <Button icon="refresh" busy={asking} onClick={() => client.invalidateQueries({ queryKey: ['answer'] })}>
        Refresh
      </Button>
      <AddTile dashboard={dashboard} />
      <PinToHome dashboard={dashboard} />
      <Button icon={editing ? 'check' : 'edit'} onClick={onEdit} aria-pressed={editing}>
        {editing ? 'Done' : 'Arrange'}
      </Button>
      <MoreMenu
        items={[
          { icon: 'full', label: 'Full screen', does: onFull },
          { icon: 'copy', label: 'Duplicate', does: () => copy.mutate() },
          { icon: 'edit', label: 'Edit name and description', does: () => setNaming(true) },
          { icon: 'trash', label: 'Delete', does: remove, danger: true },
        ]}
      />
      {naming && <NameDashboard dashboard={dashboard} onClose={() => setNaming(false)} />}
    </>
  )
}

/** Home shows one dashboard: pinning this one takes the others down. */
function PinToHome({ dashboard }: { dashboard: Dashboard }) {
  const project = useProject()
  const client = useQueryClient()
  const pin = (id: number, pinned: boolean) =>
    ask<Dashboard>(inProject(project.id, `dashboards/${id}/`), { method: 'PATCH', body: { pinned } })
  const keep = async (pinned: boolean) => {
    const { results } = await client.fetchQuery(dashboards(project.id, { pinned: true }))
    if (pinned) await Promise.all(results.filter(({ id }) => id !== dashboard.id).map(({ id }) => pin(id, false)))
    await pin(dashboard.id, pinned)
    await Promise.all(['dashboard', 'dashboards'].map((key) => client.invalidateQueries({ queryKey: [key] })))
    say(pinned ? 'Home shows this dashboard now' : 'Home shows its own tiles again')
  }
  return (
    <ToggleButton
      on={dashboard.pinned}
      labels={{ on: 'Unpin from Home', off: 'Pin to Home' }}
      icon="home"
      change={keep}
    />
  )
}

/** Four tiles, as a new dashboard has them. */
function Waiting() {
  return (
    <Page title={<Skeleton width={200} height={26} />} wide>
      <div className="grid" role="status" aria-label="Loading">
        {[0, 1, 2, 3].map((place) => (
          <div
            key={place}
            className="tile"
            style={{
              gridColumn: `${(place % 2) * 6 + 1} / span 6`,
              gridRow: `${Math.floor(place / 2) * 5 + 1} / span 5`,
            }}
          >
            <div className="tile-head">
              <Skeleton width={140} />
            </div>
            <div className="tile-body">
              <Skeleton height="100%" radius={8} />
            </div>
          </div>
        ))}
      </div>
    </Page>
  )
}
