import type { ServiceStatus } from '../../../../src/contract/resources/service.ts'
import { ago, number } from '../../lib/format.ts'
import { Card } from '../../ui/page.tsx'

type Entry = ServiceStatus['held_back'][number]

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

/** Who was slowed down or refused in the last hour, so that others were not disturbed. */
export function HeldBackCard({ entries }: { entries: readonly Entry[] }) {
  return (
    <Card title="Held back in the last hour">
      {entries.length === 0 ? (
        <p className="soft">Nobody. Clients that send too much are slowed down or refused, and listed here.</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Client</th>
              <th scope="col">Reason</th>
              <th scope="col" className="number">
                Times
              </th>
              <th scope="col">Last</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.reason} ${entry.address} ${entry.project}`}>
                <td>{clientName(entry)}</td>
                <td>{REASONS[entry.reason] ?? entry.reason}</td>
                <td className="number">{number(entry.count)}</td>
                <td className="soft">{ago(entry.last_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

function clientName({ address, project }: Entry): string {
  const parts = [address, project === null ? null : `project ${project}`].filter((part) => part !== null)
  return parts.length === 0 ? 'unknown' : parts.join(', ')
}
