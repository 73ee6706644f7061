import http, { type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { adminSocketPath } from '../../src/service/admin/admin-path.ts'

interface Status {
  readonly log: { readonly backlog_bytes: number } | null
  readonly pipeline: { readonly inserts_owed_to_clickhouse: number } | null
  readonly dead_letters: number
}

/** What `footfall status --json` says, without a process for each look; null while it cannot say it, because an engine is away. */
export async function statusOf({ data }: { readonly data: string }): Promise<Status | null> {
  const socketPath = await adminSocketPath(data)
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    http.get({ socketPath, path: '/status' }, resolve).once('error', reject),
  )
  const said = await json(answer)
  return answer.statusCode === 200 ? (said as Status) : null
}

/** Nothing waits between the log and ClickHouse any more. */
export const drained = async (service: { readonly data: string }): Promise<boolean> => {
  const status = await statusOf(service)
  return status?.log?.backlog_bytes === 0 && status.pipeline?.inserts_owed_to_clickhouse === 0
}
