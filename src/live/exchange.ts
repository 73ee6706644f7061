import type { Sql } from '../engines/postgres/index.ts'
import { parseJson, stringifyJson } from '../lib/json.ts'
import type { Logger } from '../lib/logger.ts'
import type { LiveBatch } from '../pipeline/index.ts'
import type { LiveHub } from './hub.ts'

/**
 * The live view between processes: some serve the watchers, others run the pipeline. They exchange data through
 * Postgres. Each process has a row with the projects that are watched there, refreshed while there are watchers;
 * samples of those projects are in a table for a minute, and a notification announces them. Without watchers nothing is
 * written. Samples may be lost: this is a view, not a record.
 */
interface LiveExchangeOptions {
  readonly sql: Sql
  readonly log: Logger
  readonly hub: LiveHub
  /** The name of this process. */
  readonly name: string
  /** Called with the projects that are watched in other processes, whenever they change. */
  readonly onWatchedElsewhere: (projects: readonly number[]) => void
}

const REFRESH_MS = 5_000
const WATCHERS = 'footfall_live_watchers'
const BATCHES = 'footfall_live_batches'

export class LiveExchange {
  readonly #options: LiveExchangeOptions
  #watchedHere: readonly number[] = []
  #watchedElsewhere: ReadonlySet<number> = new Set()
  #timer: NodeJS.Timeout | undefined
  readonly #unlisten: (() => Promise<void>)[] = []
  /** Writes are sent one after another. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: LiveExchangeOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const { sql } = this.#options
    const heard = [
      await sql.listen(WATCHERS, () => this.#quietly(this.#lookWhoWatches())),
      await sql.listen(BATCHES, (ids) => this.#quietly(this.#show(ids))),
    ]
    for (const { unlisten } of heard) this.#unlisten.push(unlisten)
    this.#timer = setInterval(() => {
      if (this.#watchedHere.length > 0) this.watchedHere(this.#watchedHere)
      this.#quietly(this.#lookWhoWatches())
    }, REFRESH_MS)
    this.#timer.unref()
    await this.#lookWhoWatches()
  }

  /** All projects that are watched in this process. */
  watchedHere(projects: readonly number[]): void {
    const { sql, name } = this.#options
    this.#watchedHere = projects
    this.#write(async () => {
      if (projects.length === 0) await sql`DELETE FROM live_watchers WHERE process = ${name}`
      else
        await sql`
          INSERT INTO live_watchers (process, projects) VALUES (${name}, ${projects as number[]}::int[])
          ON CONFLICT (process) DO UPDATE SET projects = excluded.projects, seen_at = now()`
      await sql`SELECT pg_notify(${WATCHERS}, '')`
    })
  }

  /** Samples from the pipeline of this process. */
  publish(batches: readonly LiveBatch[]): void {
    const { sql, name } = this.#options
    const wanted = batches.filter(({ project }) => this.#watchedElsewhere.has(project))
    if (wanted.length === 0) return
    this.#write(async () => {
      await sql`DELETE FROM live_batches WHERE created_at < now() - interval '1 minute'`
      const rows = wanted.map((batch) => ({ process: name, batch: stringifyJson(batch) }))
      const written = await sql<{ id: number }[]>`INSERT INTO live_batches ${sql(rows)} RETURNING id`
      await sql`SELECT pg_notify(${BATCHES}, ${written.map(({ id }) => id).join(',')})`
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.watchedHere([])
    await this.#writing
    await Promise.all(this.#unlisten.map((unlisten) => unlisten()))
  }

  async #lookWhoWatches(): Promise<void> {
    const { sql, name, onWatchedElsewhere } = this.#options
    const rows = await sql<{ project: number }[]>`
      SELECT DISTINCT unnest(projects) AS project FROM live_watchers
      WHERE process <> ${name} AND seen_at > now() - ${`${3 * REFRESH_MS} milliseconds`}::interval`
    const projects = rows.map(({ project }) => project)
    if (projects.length === this.#watchedElsewhere.size && projects.every((id) => this.#watchedElsewhere.has(id)))
      return
    this.#watchedElsewhere = new Set(projects)
    onWatchedElsewhere(projects)
  }

  async #show(ids: string): Promise<void> {
    const { sql, name, hub } = this.#options
    if (this.#watchedHere.length === 0) return
    const rows = await sql<{ batch: string }[]>`
      SELECT batch FROM live_batches WHERE id = ANY(${ids.split(',').map(Number)}::bigint[]) AND process <> ${name} ORDER BY id`
    hub.publish(rows.map(({ batch }) => parseJson(batch) as unknown as LiveBatch))
  }

  #write(work: () => Promise<unknown>): void {
    this.#writing = this.#writing.then(work).catch((error: Error) => this.#complain(error))
  }

  #quietly(work: Promise<void>): void {
    work.catch((error: Error) => this.#complain(error))
  }

  #complain(error: Error): void {
    this.#options.log.warn({ error: error.message }, 'the live view could not be shared with other processes')
  }
}
