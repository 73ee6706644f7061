import { type ClickHouse, sql } from '../../engines/clickhouse/index.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import { pause } from '../../lib/pause.ts'
import { type Scratch, storesMore } from './clickhouse-behaviour.ts'
import { type ClickHouseReplica, everywhere } from './clickhouse-servers.ts'
import { failed } from './results.ts'

/** Somebody stops a server when told to, and starts it again. */
export interface WithReplicaStopped {
  tell(what: string): void
  readonly patienceMs?: number
}

const PATIENCE_MS = 10 * MINUTE
const POLL_MS = SECOND

/** Whether inserts and questions go on while one replica is away, and the replica catches up afterwards. */
export async function withReplicaStopped(
  scratch: Scratch,
  replicas: readonly ClickHouseReplica[],
  { tell, patienceMs = PATIENCE_MS }: WithReplicaStopped,
): Promise<string> {
  const { clickhouse, cluster = '' } = scratch
  const hosts = replicas.map(({ host }) => host).join(', ')
  tell(`Stop one of these servers now, but not the one that FOOTFALL_CLICKHOUSE_URL names: ${hosts}`)
  if (!(await until(patienceMs, async () => (await answering(clickhouse, cluster)) < replicas.length)))
    throw failed('no server was stopped in time', 'Run the check again, and stop one when you are told to.')
  tell('A server is away. Inserting and asking without it.')
  const outcome = await storesMore(clickhouse).then(
    () => null,
    (error: Error) => error.message,
  )
  tell('Start it again.')
  const isBack = await until(patienceMs, async () => (await answering(clickhouse, cluster)) === replicas.length)
  if (!isBack) throw failed('the server did not come back in time', 'Look into its log.')
  if (outcome !== null)
    throw failed(
      `while it was away an insert or a question failed: ${outcome}`,
      'With two replicas of a shard, both have to confirm an insert: events wait in the log meanwhile, and nothing is lost. Three replicas continue.',
    )
  return 'inserts and questions went on, and the server came back'
}

/** How many servers answer. Those that do not are left out of the answer. */
async function answering(clickhouse: ClickHouse, cluster: string): Promise<number> {
  const { rows } = await clickhouse.query<{ n: number }>(
    sql`SELECT count() AS n FROM ${everywhere(cluster, 'system.one')}`,
    { settings: { skip_unavailable_shards: 1 } },
  )
  return Number(rows[0]?.n ?? 0)
}

async function until(ms: number, look: () => Promise<boolean>): Promise<boolean> {
  const end = Date.now() + ms
  while (Date.now() < end) {
    if (await look()) return true
    await pause(POLL_MS)
  }
  return false
}
