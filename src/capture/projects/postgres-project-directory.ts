import type { Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ProjectDirectory, ProjectSettings } from './project-directory.ts'

/**
 * The project directory over PostgreSQL. All projects are held in memory and read again after `NOTIFY
 * projects_changed`, and every few seconds in case a notification was lost.
 *
 * A key that is not in memory may belong to a project created just now, so it is looked up; but a flood of bad keys
 * must not become a flood of SQL. Unknown keys are collected while a lookup is running and go out together in the next
 * one: at most one lookup runs at a time. A key that was not found is not looked up again for a few seconds.
 *
 * While PostgreSQL is away, known keys keep working; for unknown keys `find` rejects.
 */
interface PostgresProjectDirectoryOptions {
  readonly log: Logger
  readonly refreshMs?: number
  readonly unknownForMs?: number
  readonly mostUnknown?: number
}

export interface OpenProjectDirectory extends ProjectDirectory {
  /** Reads all projects again; resolves when the directory shows what is in the database now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

interface ProjectRow {
  readonly id: number
  readonly api_token: string
  readonly autocapture_opt_out: boolean
  readonly session_recording_opt_in: boolean
  readonly anonymize_ips: boolean
  readonly recordings_limited: boolean
  readonly heatmaps_opt_in: boolean
  readonly honor_do_not_track: boolean
}

export async function postgresProjectDirectory(
  sql: Sql,
  options: PostgresProjectDirectoryOptions,
): Promise<OpenProjectDirectory> {
  const directory = new PostgresProjectDirectory(sql, options)
  await directory.open()
  return directory
}

class PostgresProjectDirectory implements OpenProjectDirectory {
  readonly #sql: Sql
  readonly #log: Logger
  readonly #refreshMs: number
  readonly #unknownForMs: number
  readonly #mostUnknown: number
  #known = new Map<string, ProjectSettings>()
  /** Key -> until when it is not asked for again. In order of asking. */
  readonly #unknown = new Map<string, number>()
  #gathering: { keys: Set<string>; found: Promise<void> } | null = null
  #lookup: Promise<unknown> = Promise.resolve()
  #reading: Promise<void> = Promise.resolve()
  #queued: Promise<void> | null = null
  #salt: { readonly day: string; readonly salt: string } | null = null
  #timer: NodeJS.Timeout | undefined
  #unlisten: (() => Promise<void>) | undefined

  constructor(sql: Sql, options: PostgresProjectDirectoryOptions) {
    this.#sql = sql
    this.#log = options.log
    this.#refreshMs = options.refreshMs ?? 5_000
    this.#unknownForMs = options.unknownForMs ?? 2_000
    this.#mostUnknown = options.mostUnknown ?? 10_000
  }

  async open(): Promise<void> {
    await this.refresh()
    const { unlisten } = await this.#sql.listen('projects_changed', () => this.#refreshQuietly())
    this.#unlisten = unlisten
    this.#timer = setInterval(() => this.#refreshQuietly(), this.#refreshMs)
    this.#timer.unref()
  }

  find(token: string): ProjectSettings | undefined | Promise<ProjectSettings | undefined> {
    const project = this.#known.get(token)
    if (project) return project
    const until = this.#unknown.get(token)
    if (until !== undefined && until > Date.now()) return undefined
    return this.#ask(token)
  }

  /** One read at a time, so that an older result never overwrites a newer one. Calls during a read share the next. */
  refresh(): Promise<void> {
    if (this.#queued) return this.#queued
    const queued = this.#reading
      .catch(() => {})
      .then(() => {
        this.#queued = null
        return this.#readAll()
      })
    this.#queued = queued
    this.#reading = queued
    return queued
  }

  async #readAll(): Promise<void> {
    const salt = await this.#saltOfToday()
    const rows = await this.#sql<ProjectRow[]>`SELECT * FROM capture_projects`
    this.#known = new Map(rows.map((row) => [row.api_token, toSettings(row, salt)]))
    for (const token of this.#known.keys()) this.#unknown.delete(token)
  }

  /** Created by the first process that needs it, shared by all, and deleted two days later. */
  async #saltOfToday(): Promise<string> {
    const day = new Date().toISOString().slice(0, 10)
    if (this.#salt?.day !== day) {
      await this.#sql`INSERT INTO cookieless_salts (day) VALUES (${day}) ON CONFLICT DO NOTHING`
      await this.#sql`DELETE FROM cookieless_salts WHERE day < ${day}::date - 1`
      const [row] = await this.#sql<{ salt: string }[]>`SELECT salt FROM cookieless_salts WHERE day = ${day}`
      this.#salt = { day, salt: row?.salt ?? '' }
    }
    return this.#salt.salt
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#unlisten?.()
  }

  async #ask(token: string): Promise<ProjectSettings | undefined> {
    this.#gathering ??= this.#gather()
    this.#gathering.keys.add(token)
    await this.#gathering.found
    return this.#known.get(token)
  }

  #gather(): { keys: Set<string>; found: Promise<void> } {
    const keys = new Set<string>()
    const found = this.#lookup
      .catch(() => {})
      .then(() => {
        this.#gathering = null
        return this.#askFor([...keys])
      })
    this.#lookup = found
    return { keys, found }
  }

  async #askFor(keys: string[]): Promise<void> {
    const rows = await this.#sql<ProjectRow[]>`SELECT * FROM capture_projects WHERE api_token = ANY(${keys})`
    for (const row of rows) this.#known.set(row.api_token, toSettings(row, this.#salt?.salt))
    const until = Date.now() + this.#unknownForMs
    for (const key of keys) if (!this.#known.has(key)) this.#remember(key, until)
  }

  #remember(key: string, until: number): void {
    this.#unknown.delete(key)
    this.#unknown.set(key, until)
    if (this.#unknown.size <= this.#mostUnknown) return
    const oldest = this.#unknown.keys().next().value
    if (oldest !== undefined) this.#unknown.delete(oldest)
  }

  #refreshQuietly(): void {
    this.refresh().catch((error: Error) => this.#log.warn({ err: error }, 'projects could not be read again'))
  }
}

const toSettings = (row: ProjectRow, cookielessSalt: string | undefined): ProjectSettings => ({
  id: row.id,
  token: row.api_token,
  autocaptureOptOut: row.autocapture_opt_out,
  sessionRecordingOptIn: row.session_recording_opt_in,
  anonymizeIps: row.anonymize_ips,
  recordingsLimited: row.recordings_limited,
  heatmapsOptIn: row.heatmaps_opt_in,
  honorDoNotTrack: row.honor_do_not_track,
  cookielessSalt,
})
