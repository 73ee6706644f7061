import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EventDefinition } from '../../api/contract.ts'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { eventDefinitions } from '../../api/queries.ts'
import { ago, number } from '../../lib/format.ts'
import { eventName } from '../../lib/names.ts'
import { LAST_30_DAYS } from '../../lib/usual-ranges.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { emptyDraft, type Node, useAnswer } from '../insights/index.ts'
import { NameCell, NotesCell } from './name-cell.tsx'
import { NotesForm } from './notes-form.tsx'

/** Counted, not estimated: what is written beside definitions ranks pickers and may lag behind. */
const VOLUMES: Node<'HogQLQuery'> = {
  kind: 'HogQLQuery',
  query: 'select event, count(), max(timestamp) from events where {filters} group by event limit 10000',
  // As an insight counts them: the whole days of the project, today to its end.
  filters: { dateRange: { date_from: LAST_30_DAYS, date_to: 'dEnd' } },
}

export function EventsTable({
  search,
  hiddenToo,
  open,
  onClose,
}: {
  search: string
  hiddenToo: boolean
  open: string | undefined
  onClose: () => void
}) {
  const project = useProject()
  const params = useProjectParams()
  const { data, error, isPending, refetch } = useQuery(
    eventDefinitions(project.id, { search, limit: 1000, exclude_hidden: hiddenToo ? undefined : true }),
  )
  const volumes = useAnswer(VOLUMES)
  const seen = new Map(
    volumes.data?.answer.results.map(([event, count, last]) => [
      String(event),
      { count: Number(count), last: String(last) },
    ]),
  )
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending || volumes.isPending) return <SkeletonRows rows={10} />
  if (data.results.length === 0)
    return (
      <EmptyState icon="definitions" title={search ? 'No matches' : 'No events yet'}>
        {search ? 'Search covers names and descriptions.' : 'Events appear here once they are received.'}
      </EmptyState>
    )
  const countOf = ({ name }: EventDefinition): number => seen.get(name)?.count ?? 0
  const rows = [...data.results].sort((a, b) => countOf(b) - countOf(a))
  const columns: Column<EventDefinition>[] = [
    {
      id: 'name',
      header: 'Event',
      width: '30%',
      cell: (row) => <NameCell shown={eventName(row.name)} raw={row.name} notes={row} />,
    },
    { id: 'notes', header: 'Description', spare: true, cell: (row) => <NotesCell {...row} /> },
    {
      id: 'volume',
      header: 'Last 30 days',
      align: 'right',
      width: '120px',
      cell: ({ name }) => (volumes.isPending ? <Skeleton width={48} /> : number(seen.get(name)?.count ?? 0)),
    },
    {
      id: 'seen',
      header: 'Last seen',
      align: 'right',
      width: '120px',
      spare: true,
      cell: ({ name, last_seen_at }) => {
        const last = seen.get(name)?.last ?? last_seen_at
        return last ? ago(last) : '–'
      },
    },
  ]
  const chosen = data.results.find(({ id }) => id === open)
  return (
    <>
      <Table
        label="Events"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        height={720}
        link={({ id }) => (
          <Link
            to="/project/$projectId/definitions"
            params={params}
            search={{ view: 'events', open: id }}
            replace
            resetScroll={false}
          />
        )}
      />
      {chosen && (
        <Dialog title={eventName(chosen.name)} onClose={onClose} width={520}>
          {eventName(chosen.name) !== chosen.name && <p className="mono tiny soft">sent as {chosen.name}</p>}
          <NotesForm
            kind="event"
            definition={chosen}
            onDone={onClose}
            actions={
              <Link
                to="/project/$projectId/insights/new"
                params={params}
                search={{ q: { ...emptyDraft('trends'), series: [{ event: chosen.name }] } }}
                className="button button-quiet"
              >
                <Icon name="insights" size={16} /> Show as trend
              </Link>
            }
          />
        </Dialog>
      )}
    </>
  )
}
