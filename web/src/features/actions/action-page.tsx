import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { inProject } from '../../api/http.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { action as actionQuery } from '../../api/queries.ts'
import { ago, dateTime, valueText } from '../../lib/format.ts'
import { eventName } from '../../lib/names.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { Button } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table, TableSkeleton } from '../../ui/table.tsx'
import { askQuery, emptyDraft } from '../insights/index.ts'
import { useRemoval } from '../lists/index.ts'
import { usePanels } from '../panels/index.ts'
import { ActionForm } from './action-form.tsx'
import { stepsText } from './steps-text.ts'

interface Row {
  uuid: string
  event: string
  url: string
  distinctId: string
  at: string
}

const rowOf = ([uuid, event, url, distinctId, at]: readonly unknown[]): Row => ({
  uuid: String(uuid),
  event: String(event),
  url: valueText(url),
  distinctId: String(distinctId),
  at: String(at),
})

const matching = (projectId: number, id: string) =>
  queryOptions({
    queryKey: ['action-events', String(projectId), id],
    queryFn: ({ signal }) =>
      askQuery(
        projectId,
        {
          kind: 'EventsQuery',
          select: ['uuid', 'event', 'properties.$current_url', 'distinct_id', 'timestamp'],
          actionId: Number(id),
          after: LAST_30_DAYS,
          orderBy: ['timestamp DESC'],
          limit: 100,
        },
        signal,
      ),
  })

/** One action: what it is, and the latest events of it. */
export function ActionPage() {
  const project = useProject()
  const params = useProjectParams()
  const navigate = useNavigate()
  const panels = usePanels()
  const { actionId = '' } = useParams({ strict: false })
  const [editing, setEditing] = useState(false)
  const close = () => setEditing(false)
  const { data: action, error, refetch } = useQuery(actionQuery(project.id, actionId))
  const events = useQuery({ ...matching(project.id, actionId), enabled: action !== undefined })
  const failed = error ?? events.error
  const name = action?.name || `Action ${actionId}`
  const columns: Column<Row>[] = [
    { id: 'event', header: 'Event', width: '25%', cell: ({ event }) => eventName(event) },
    { id: 'url', header: 'URL', spare: true, cell: ({ url }) => <span className="truncate">{url}</span> },
    { id: 'who', header: 'Distinct id', cell: ({ distinctId }) => <span className="truncate">{distinctId}</span> },
    {
      id: 'at',
      header: 'When',
      align: 'right',
      width: '120px',
      cell: ({ at }) => <span title={dateTime(at, project.timezone)}>{ago(at)}</span>,
    },
  ]
  const removal = useRemoval()
  const remove = () =>
    removal.mutate({
      path: inProject(project.id, `actions/${actionId}/`),
      name,
      note: 'Insights that use it show no results for it.',
      keys: ['action', 'actions', 'action-events'],
      leave: () => navigate({ to: '/project/$projectId/actions', params, replace: true }),
    })
  return (
    <Page
      title={action ? name : 'Action'}
      sub={action ? stepsText(action.steps) : ' '}
      actions={
        action && (
          <>
            <Link
              to="/project/$projectId/insights/new"
              params={params}
              search={{ q: { ...emptyDraft('trends'), series: [{ event: null, action: action.id, name }] } }}
              className="button button-plain"
            >
              <Icon name="insights" size={16} /> Show as trend
            </Link>
            <Button icon="edit" onClick={() => setEditing(true)}>
              Change
            </Button>
            <MoreMenu items={[{ icon: 'trash', label: 'Delete', does: remove, danger: true }]} />
          </>
        )
      }
    >
      {failed ? (
        <ErrorState error={failed} retry={() => Promise.all([refetch(), events.refetch()])} />
      ) : !events.data || !action ? (
        <TableSkeleton columns={columns} rows={10} />
      ) : events.data.answer.results.length === 0 ? (
        <EmptyState icon="tag" title="No matching events in the last 30 days">
          Edit the action, or wait for a matching event.
        </EmptyState>
      ) : (
        <Table
          label="Latest events"
          columns={columns}
          rows={events.data.answer.results.map(rowOf)}
          rowKey={({ uuid }) => uuid}
          height={720}
          link={({ uuid }) => <Link {...panels.linkTo({ to: 'event', id: uuid })} />}
        />
      )}
      {editing && action && <ActionForm action={action} onDone={close} onClose={close} />}
    </Page>
  )
}
