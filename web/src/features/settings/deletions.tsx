import { useQuery } from '@tanstack/react-query'
import type { Deletion } from '../../api/contract.ts'
import { useProject } from '../../api/project.tsx'
import { deletions } from '../../api/queries.ts'
import { dateTime, number } from '../../lib/format.ts'
import { Badge } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'

/** What was asked to be deleted, when it runs, and what it found: the receipts. */
export function DeletionSettings() {
  const project = useProject()
  const { data, error, isPending, refetch } = useQuery({ ...deletions(project.id), refetchInterval: 10_000 })
  const rows = data?.results ?? []
  return (
    <>
      <Card title="Deletions" flush>
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : isPending ? (
          <SkeletonRows rows={3} />
        ) : rows.length === 0 ? (
          <EmptyState icon="trash" title="No deletions yet">
            When a person is deleted with their events, the receipt appears here.
          </EmptyState>
        ) : (
          <Table label="Deletions" columns={columns(project.timezone)} rows={rows} rowKey={({ id }) => String(id)} />
        )}
      </Card>
      <p className="small soft">
        A person is deleted immediately. Events and recordings are deleted in a weekly run, on Sunday at 05:00 UTC; the
        service then verifies that nothing is left and records it in the receipt. To run it now:{' '}
        <code>npx footfall deletions run</code>.
      </p>
    </>
  )
}

const stateOf = ({ status, verified, progress, error }: Deletion): string => {
  if (status === 'done') return verified ? 'done, verified' : 'done'
  if (progress)
    return `deleting: ${progress.table}, ${number(progress.parts_left)} of ${number(progress.parts)} parts left`
  return error === null ? 'scheduled' : 'failed, will be tried again'
}

const toneOf = ({ status, progress, error }: Deletion) =>
  status === 'done' ? 'good' : error !== null && progress === null ? 'bad' : 'neutral'

const columns = (zone: string): Column<Deletion>[] => [
  {
    id: 'status',
    header: 'State',
    cell: (deletion) => (
      <>
        <Badge tone={toneOf(deletion)}>{stateOf(deletion)}</Badge>
        {deletion.error !== null && <div className="small soft">{deletion.error}</div>}
      </>
    ),
  },
  {
    id: 'person',
    header: 'Person',
    cell: ({ person_uuid }) => (
      <span className="mono tiny" title={person_uuid}>
        {person_uuid.slice(0, 8)}
      </span>
    ),
  },
  {
    id: 'requested',
    header: 'Requested',
    spare: true,
    cell: ({ requested_at, requested_by }) => (
      <>
        {dateTime(requested_at, zone)} <span className="soft">{requested_by}</span>
      </>
    ),
  },
  {
    id: 'when',
    header: 'Deleted',
    cell: ({ ran_at, scheduled_for }) => (ran_at ? dateTime(ran_at, zone) : `on ${dateTime(scheduled_for, zone)}`),
  },
  { id: 'events', header: 'Events', align: 'right', cell: ({ events_deleted }) => number(events_deleted) },
  {
    id: 'recordings',
    header: 'Recordings',
    align: 'right',
    spare: true,
    cell: ({ recordings_deleted }) => number(recordings_deleted),
  },
]
