import { MINUTE, SECOND } from '../../lib/durations.ts'
import { within } from '../../lib/in-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { openPostgres, type PostgresServer } from './client.ts'
import type { Sql } from './sql.ts'

/**
 * A replica of the server, for reads that may be some moments behind.
 *
 *   used    it answered when it was looked at, and is not far behind
 *           -> spared   it does not answer, or is far behind
 *   spared  the primary is read
 *           -> used     a look, some seconds later, finds it well
 *
 * So a replica that is away costs nothing but its help.
 */
export type Reading = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

export const onPrimary =
  (sql: Sql): Reading =>
  (work) =>
    work(sql)

const LOOK_EVERY_MS = 5 * SECOND
const ANSWER_WITHIN_MS = 2 * SECOND
const MOST_BEHIND_SECONDS = MINUTE / SECOND

interface ReplicaOptions {
  readonly primary: Sql
  readonly server: PostgresServer
  readonly log: Logger
}

export class ReadReplica {
  readonly #options: ReplicaOptions
  #replica: Sql | null = null
  #opening: Promise<Sql> | null = null
  #isWell = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  readonly reading: Reading = async (work) => {
    if (Date.now() - this.#lookedAt > LOOK_EVERY_MS) {
      this.#looking ??= this.#look()
      // Only who finds it spared waits for the look: it may be back.
      if (!this.#isWell) await this.#looking
    }
    return work((this.#isWell ? this.#replica : null) ?? this.#options.primary)
  }

  async close(): Promise<void> {
    await this.#looking
    await this.#opening?.catch(() => {})
    await this.#replica?.end({ timeout: 1 })
  }

  async #look(): Promise<void> {
    const { log } = this.#options
    const before = this.#isWell
    try {
      const behind = await within(ANSWER_WITHIN_MS, this.#secondsBehind())
      this.#isWell = behind <= MOST_BEHIND_SECONDS
      if (!this.#isWell && before) log.warn({ seconds: behind }, 'the read replica is far behind: the primary is read')
    } catch (error) {
      this.#isWell = false
      if (before || this.#lookedAt < 0)
        log.warn({ error: (error as Error).message }, 'the read replica does not answer: the primary is read')
    }
    if (this.#isWell && !before) log.info('lists and searches read the replica')
    this.#lookedAt = Date.now()
    this.#looking = null
  }

  /** A replica that has applied all it has received is not behind, however long nothing has come. */
  async #secondsBehind(): Promise<number> {
    const replica = this.#replica ?? (await this.#open())
    const [row] = await replica<[{ behind: number }]>`
      SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
             ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp()) END::float8 AS behind`
    return row.behind
  }

  /** One attempt at a time, also when the last one is not over yet. */
  #open(): Promise<Sql> {
    const { server, log } = this.#options
    this.#opening ??= openPostgres(server, { log, max: 5 })
      .then((replica) => {
        this.#replica = replica
        return replica
      })
      .finally(() => {
        this.#opening = null
      })
    return this.#opening
  }
}
