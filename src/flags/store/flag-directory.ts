/**
 * The flags of all projects, in the memory of a process that answers SDKs. No request reads definitions.
 *
 * The database announces every change (`flags_changed`, with the project); that project is then read again, one read at
 * a time, and announcements that come meanwhile share the next one. A slow poll compares fingerprints in case an
 * announcement was lost, and so does every new connection of the listener. While PostgreSQL is away the last definitions
 * count, and what could not be read is tried again.
 */
import { isTroubleOfPostgres, type Sql } from '../../engines/postgres/index.ts'
import { recordWarnings } from '../../events/index.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ProjectFlags } from '../rules/definition.ts'
import {
  type CompiledRows,
  type EarlyAccessFeature,
  type LoadedProject,
  loadFlags,
  readFingerprints,
} from './load-flags.ts'

export interface FlagDirectory {
  /** Undefined: the project has no flags. */
  of(project: number): ProjectFlags | undefined
  earlyAccessOf(project: number): readonly EarlyAccessFeature[]
}

export interface OpenFlagDirectory extends FlagDirectory {
  /** Resolves when the directory shows what is in the database now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

interface Options {
  readonly log: Logger
  readonly pollMs?: number
  readonly retryMs?: number
}

export async function openFlagDirectory(sql: Sql, options: Options): Promise<OpenFlagDirectory> {
  const directory = new PostgresFlagDirectory(sql, options)
  await directory.open()
  return directory
}

class PostgresFlagDirectory implements OpenFlagDirectory {
  readonly #sql: Sql
  readonly #options: Options
  readonly #projects = new Map<number, LoadedProject>()
  #compiled: CompiledRows = new Map()
  /** Projects that have to be read again; `all`: those whose fingerprint differs. */
  readonly #changed = new Set<number | 'all'>()
  #reading: Promise<void> | null = null
  #timers: NodeJS.Timeout[] = []
  #retry: NodeJS.Timeout | undefined
  #stopListening: (() => Promise<void>)[] = []
  #closed = false

  constructor(sql: Sql, options: Options) {
    this.#sql = sql
    this.#options = options
  }

  of(project: number): ProjectFlags | undefined {
    return this.#projects.get(project)?.flags
  }

  earlyAccessOf(project: number): readonly EarlyAccessFeature[] {
    return this.#projects.get(project)?.earlyAccess ?? []
  }

  async open(): Promise<void> {
    await this.#load('all')
    // Again after every reconnect: what was announced meanwhile was missed.
    const all = () => this.#mark('all')
    const flags = await this.#sql.listen('flags_changed', (project) => this.#mark(Number(project)), all)
    const projects = await this.#sql.listen('projects_changed', all, all)
    this.#stopListening = [flags.unlisten, projects.unlisten]
    const poll = setInterval(all, this.#options.pollMs ?? 30_000)
    poll.unref()
    this.#timers = [poll]
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#retry)
    await Promise.all(this.#stopListening.map((stop) => stop()))
    await this.#reading?.catch(() => {})
  }

  async refresh(): Promise<void> {
    await this.#reading?.catch(() => {})
    this.#mark('all')
    await this.#reading
  }

  #mark(project: number | 'all'): void {
    if (this.#closed) return
    this.#changed.add(project)
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    this.#reading.catch(() => {})
  }

  async #read(): Promise<void> {
    while (this.#changed.size > 0 && !this.#closed) {
      const marked = [...this.#changed]
      this.#changed.clear()
      try {
        const named = marked.filter((project) => project !== 'all')
        const different = marked.includes('all') ? await this.#different() : []
        const projects = [...new Set([...named, ...different])]
        if (projects.length > 0) await this.#load(projects)
      } catch (error) {
        for (const project of marked) this.#changed.add(project)
        this.#options.log.warn({ err: error as Error }, 'feature flags could not be read again')
        clearTimeout(this.#retry)
        this.#retry = setTimeout(() => this.#mark('all'), this.#options.retryMs ?? 1000)
        this.#retry.unref()
        throw error
      }
    }
  }

  async #different(): Promise<number[]> {
    const now = await readFingerprints(this.#sql, 'all')
    const gone = [...this.#projects.keys()].filter((project) => !now.has(project))
    const changed = [...now].filter(
      ([project, fingerprint]) => this.#projects.get(project)?.fingerprint !== fingerprint,
    )
    return [...gone, ...changed.map(([project]) => project)]
  }

  async #load(projects: readonly number[] | 'all'): Promise<void> {
    const loaded = await loadFlags(this.#sql, projects, this.#compiled)
    if (projects !== 'all') for (const project of projects) this.#projects.delete(project)
    for (const [project, found] of loaded) if (found.flags.flags.length > 0) this.#projects.set(project, found)
    this.#forgetUnused()
    await this.#reportBroken(loaded)
  }

  /** Compiled rows that no project uses any more. */
  #forgetUnused(): void {
    const used = [...this.#projects.values()].reduce((sum, { flags }) => sum + flags.flags.length, 0)
    if (this.#compiled.size <= used * 2 + 1000) return
    const current = new Set([...this.#projects.values()].flatMap(({ flags }) => flags.flags))
    this.#compiled = new Map([...this.#compiled].filter(([, flag]) => current.has(flag)))
  }

  /** Each version of a flag is reported once, by whichever process is first. */
  async #reportBroken(loaded: ReadonlyMap<number, LoadedProject>): Promise<void> {
    const broken = [...loaded.values()].flatMap(({ flags }) => flags.flags.filter((flag) => flag.broken !== null))
    for (const { stored, broken: problem } of broken) {
      const details = { flag_id: stored.id, key: stored.key, version: stored.version, problem }
      try {
        await this.#sql.begin(async (tx) => {
          await tx`SELECT pg_advisory_xact_lock(hashtextextended('broken flag', ${stored.id}))`
          const [known] = await tx`
            SELECT 1 FROM ingestion_warning_samples WHERE project_id = ${stored.project_id} AND type = 'feature_flag_unreadable'
              AND details ->> 'flag_id' = ${String(stored.id)} AND details ->> 'version' = ${String(stored.version)}`
          if (known) return
          await recordWarnings(tx, [
            {
              project: stored.project_id,
              type: 'feature_flag_unreadable',
              at: Date.now(),
              event: null,
              distinctId: null,
              uuid: null,
              details,
            },
          ])
        })
      } catch (error) {
        if (!isTroubleOfPostgres(error)) throw error
      }
    }
  }
}
