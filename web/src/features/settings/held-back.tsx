import type { InstanceStatus } from '../../api/contract.ts'
import { ago, number } from '../../lib/format.ts'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'

type Entry = InstanceStatus['status']['held_back'][number]

const REASONS: Readonly<Record<string, string>> = {
  bytes: 'The service was receiving too much at once',
  address_bytes: 'This address sent too much at once',
  project_bytes: 'Too much of this project was being stored at once',
  body_stalled: 'An upload paused for too long',
  gave_way: 'A stalled upload was dropped to make room',
  queue: 'Too many large requests were waiting',
  queue_of_client: 'This client had too many large requests waiting',
  refusals: 'Many wrong requests: further answers were delayed',
  connections: 'Too many connections from this address',
  throttled: 'Too many API requests or sign-in attempts',
}

const COLUMNS: Column<Entry>[] = [
  { id: 'client', header: 'Client', width: '30%', cell: (entry) => clientName(entry) },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => REASONS[reason] ?? reason },
  { id: 'count', header: 'Times', align: 'right', width: '80px', cell: ({ count }) => number(count) },
  { id: 'last', header: 'Last', align: 'right', width: '112px', cell: ({ last_at }) => ago(last_at) },
]

/** Who was slowed down or refused in the last hour, so that others were not disturbed. */
export function HeldBackCard({ entries }: { entries: readonly Entry[] }) {
  return (
    <Card title="Held back in the last hour" flush={entries.length > 0}>
      {entries.length === 0 ? (
        <p className="small soft">Nobody. Clients that send too much are slowed down or refused, and listed here.</p>
      ) : (
        <Table
          label="Held back in the last hour"
          columns={COLUMNS}
          rows={entries}
          rowKey={({ reason, address, project }) => `${reason} ${address} ${project}`}
        />
      )}
    </Card>
  )
}

function clientName({ address, project }: Entry): string {
  const parts = [address, project === null ? null : `project ${project}`].filter((part) => part !== null)
  return parts.length === 0 ? 'unknown' : parts.join(', ')
}
