import { createHash } from 'node:crypto'
import { backoffMs } from '../../lib/backoff.ts'
import { MINUTE } from '../../lib/durations.ts'
import { pause } from '../../lib/pause.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { ClickHouse } from './client.ts'
import { ClickHouseFailure, isUnavailable } from './failure.ts'
import { Fragment, ident, render, sql, str } from './sql.ts'

/**
 * Changes of stored rows, which ClickHouse makes by rewriting parts: a matter of hours when there are many.
 *
 *   started   ClickHouse has written the statement down, and keeps it over restarts
 *   running   parts are rewritten in the background; every server of a cluster says how many it has left
 *   done      every server has none left
 *   failed    a server says why. It tries again by itself; the caller gets its reason and may come back later
 *
 * Each statement has a mark: a comparison that is always true, with a hash of the statement in it. By the mark it is
 * found on every server, and a process that starts after a crash follows the change that was started instead of
 * starting it again.
 */
export interface Mutation {
  readonly table: string
  /** `DELETE`, or `UPDATE a = b`. */
  readonly change: Fragment
  readonly where: Fragment
}

export interface MutationProgress {
  readonly table: string
  /** The most parts that were seen to be left, over all servers, and how many are left now. */
  readonly parts: number
  readonly partsLeft: number
  readonly serversLeft: number
}

export interface MutationWatch {
  /** Ends the wait, not the change. */
  readonly signal?: AbortSignal | undefined
  /** How long somebody waits for it, if not to its end. ClickHouse goes on without them. */
  readonly withinMs?: number
  /** Called when it has changed. */
  readonly onProgress?: (progress: MutationProgress) => Promise<void>
}

export class MutationFailure extends Error {
  override name = 'MutationFailure'
}

const LOOK = { firstMs: 20, longestMs: 2_000 }
/** How long nobody may say that the change goes on. */
const SILENT_MS = 10 * MINUTE
/** A server that is away gets the statement when it is back; waiting for it is our part. */
const START_SETTINGS = {
  mutations_sync: 0,
  distributed_ddl_task_timeout: 30,
  distributed_ddl_output_mode: 'null_status_on_timeout',
} as const
const MARK = 'footfall-change'

/** Resolves when no server has a part left that holds such rows. */
export async function mutate(clickhouse: ClickHouse, mutation: Mutation, watch: MutationWatch = {}): Promise<void> {
  const { table, change, where } = mutation
  const head = sql`ALTER TABLE ${ident(table)} ${change} WHERE (${where})`
  const hash = hashOf(head)
  const earlier = await markOfLast(clickhouse, hash)
  if (earlier !== null) {
    await finished(clickhouse, table, earlier, watch)
    // It did not cover rows that arrived after it was started.
    if (!(await isLeft(clickhouse, mutation))) return
  }
  const mark = `${MARK} ${hash} ${uuidV7()}`
  await clickhouse.command(sql`${head} AND ${str(mark)} != ''`, { settings: START_SETTINGS })
  const { forgotten } = await finished(clickhouse, table, mark, watch)
  if (forgotten && (await isLeft(clickhouse, mutation)))
    throw new MutationFailure(`ClickHouse no longer knows the change of ${table}: was it ended by KILL MUTATION?`)
}

function hashOf(statement: Fragment): string {
  const { query, query_params } = render(statement)
  return createHash('sha256')
    .update(JSON.stringify([query, query_params]))
    .digest('hex')
    .slice(0, 32)
}

async function isLeft(clickhouse: ClickHouse, { table, where }: Mutation): Promise<boolean> {
  return (await clickhouse.query(sql`SELECT 1 FROM ${ident(table)} WHERE ${where} LIMIT 1`)).rows.length > 0
}

/** Of the last change by the same statement, which may be done by now. */
async function markOfLast(clickhouse: ClickHouse, hash: string): Promise<string | null> {
  const { rows } = await clickhouse.query<{ mark: string }>(sql`
    SELECT extract(command, ${str(`${MARK} ${hash} [0-9a-f-]+`)}) AS mark FROM ${mutationsOf(clickhouse)}
    WHERE database = ${str(clickhouse.database)} AND position(command, ${str(`${MARK} ${hash}`)}) > 0
    ORDER BY create_time DESC LIMIT 1`)
  return rows[0]?.mark ?? null
}

interface ServerState {
  readonly server: number
  readonly left: number
  readonly done: number
  readonly reason: string
}

/** What the servers have said of a change so far. */
class Followed {
  readonly #servers: number
  /** Whether a server said that it has made the change, when it was last heard of. */
  readonly #done = new Map<number, boolean>()
  readonly #table: string
  #running: readonly ServerState[] = []
  #parts = 0
  #heardAt = Date.now()

  constructor(table: string, servers: number) {
    this.#table = table
    this.#servers = servers
  }

  hear(states: readonly ServerState[]): void {
    for (const { server, done } of states) this.#done.set(server, done === 1)
    this.#running = states.filter(({ done }) => done === 0)
    this.#parts = Math.max(this.#parts, this.progress.partsLeft)
    if (this.#running.length > 0) this.#heardAt = Date.now()
  }

  get progress(): MutationProgress {
    const partsLeft = this.#running.reduce((sum, { left }) => sum + left, 0)
    const serversLeft = this.#servers - this.#done.size + this.#running.length
    return { table: this.#table, parts: this.#parts, partsLeft, serversLeft }
  }

  /** A server has forgotten the change: a hundred later ones are done, or it was ended. */
  get forgotten(): boolean {
    return [...this.#done.values()].includes(false)
  }

  throwIfFailed(): void {
    const failed = this.#running.find(({ reason }) => reason !== '')
    if (failed) throw new MutationFailure(`ClickHouse cannot change ${this.#table}, and tries again: ${failed.reason}`)
    if (Date.now() - this.#heardAt > SILENT_MS)
      throw new MutationFailure(
        `${this.progress.serversLeft} of ${this.#servers} ClickHouse servers say nothing of a change of ${this.#table}: are they running?`,
      )
  }
}

async function finished(
  clickhouse: ClickHouse,
  table: string,
  mark: string,
  { signal, onProgress, withinMs = Number.POSITIVE_INFINITY }: MutationWatch,
): Promise<Followed> {
  const end = Date.now() + withinMs
  const followed = new Followed(table, await serverCount(clickhouse))
  let told = ''
  for (let looks = 0; ; looks++) {
    signal?.throwIfAborted()
    const states = await statesOf(clickhouse, mark).catch(nullWhileAway)
    if (states !== null) followed.hear(states)
    followed.throwIfFailed()
    const { progress } = followed
    if (states !== null && progress.serversLeft === 0) return followed
    if (Date.now() > end)
      throw new ClickHouseFailure(`ClickHouse still changes ${table}`, {
        code: 0,
        type: 'STILL_CHANGING',
        kind: 'unavailable',
      })
    if (onProgress && told !== JSON.stringify(progress)) await onProgress(progress)
    told = JSON.stringify(progress)
    await pause(backoffMs(looks, LOOK), signal)
  }
}

/** A server that is restarted goes on with the change. */
function nullWhileAway(error: unknown): null {
  if (isUnavailable(error)) return null
  throw error
}

/** Of every server that answers. */
async function statesOf(clickhouse: ClickHouse, mark: string): Promise<ServerState[]> {
  const server = clickhouse.cluster === undefined ? sql`1` : sql`_shard_num`
  const { rows } = await clickhouse.query<ServerState>(
    sql`SELECT ${server} AS server, sum(parts_to_do) AS left, min(is_done) AS done, any(latest_fail_reason) AS reason
      FROM ${mutationsOf(clickhouse)}
      WHERE database = ${str(clickhouse.database)} AND position(command, ${str(mark)}) > 0 GROUP BY server`,
    { settings: { skip_unavailable_shards: 1 } },
  )
  return rows.map(({ server, left, done, reason }) => ({ server, left: Number(left), done, reason }))
}

async function serverCount(clickhouse: ClickHouse): Promise<number> {
  if (clickhouse.cluster === undefined) return 1
  const { rows } = await clickhouse.query<{ n: number }>(
    sql`SELECT count() AS n FROM system.clusters WHERE cluster = ${str(clickhouse.cluster)}`,
  )
  return Number(rows[0]?.n ?? 1)
}

/** The name of the cluster is checked when the settings are read. */
const mutationsOf = ({ cluster }: ClickHouse): Fragment =>
  cluster === undefined
    ? sql`system.mutations`
    : new Fragment([`clusterAllReplicas('${cluster}', system.mutations)`], [])
