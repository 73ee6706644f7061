import type { IdentityBatch, IdentityKind } from './lines.ts'
import { recognise } from './recognise.ts'
import { splitValues } from './split.ts'

/**
 * Imports a file into a running service, in the order of the file. Nothing is remembered between runs: every event has
 * a uuid that is derived from the file, so an interrupted run is simply started again, and events that are already
 * stored are skipped.
 *
 *   reading    lines are collected until they fill a batch
 *              -> sending   a batch of events is full, or lines of another kind follow
 *   sending    events that are not stored yet go to capture, which answers when they are durable; persons and groups go
 *              to Postgres
 *              -> reading   always
 *   settling   final properties of persons and groups must be stored after every event has been applied
 *              -> reading   the service has applied what was sent
 *   done       the file has ended, and the service has applied all of it
 */
export interface ImportTarget {
  readonly project: number
  /** Sends events as JSON texts to capture; resolves when they are durable. */
  send(events: readonly string[]): Promise<void>
  /** Which of these uuids the project has already stored. */
  stored(uuids: readonly string[]): Promise<ReadonlySet<string>>
  identities(batch: IdentityBatch): Promise<void>
  /** Resolves when everything that was sent has been applied. */
  settled(): Promise<void>
}

export interface ImportCounts {
  readonly events: number
  /** Already stored before. */
  readonly known: number
  readonly persons: number
  readonly groups: number
  readonly bad: number
}

interface ImportOptions {
  readonly target: ImportTarget
  readonly parts: AsyncIterable<string>
  readonly now: number
  readonly onBad?: (line: number, reason: string) => void
  readonly onProgress?: (counts: ImportCounts) => void
}

/** Capture parses bodies of a few megabytes in a worker thread, and stores them in one write. */
const BATCH = { events: 2_000, bytes: 2_000_000 }
const LINES = 500
const LAST: ReadonlySet<IdentityKind> = new Set(['group', 'person_properties'])

export async function importFile(options: ImportOptions): Promise<ImportCounts> {
  const run = new ImportRun(options)
  for await (const { line, text } of splitValues(options.parts))
    for (const recognised of recognise(text, options.now)) {
      if (recognised.kind === 'event') await run.event(recognised.uuid, recognised.text)
      else if (recognised.kind === 'identity') await run.identity(recognised.of, recognised.line)
      else if (recognised.kind === 'bad') run.bad(line, recognised.reason)
    }
  return run.end()
}

class ImportRun {
  readonly #options: ImportOptions
  readonly #counts = { events: 0, known: 0, persons: 0, groups: 0, bad: 0 }
  #events = new Map<string, string>()
  #bytes = 0
  #kind: IdentityKind | null = null
  #lines: unknown[] = []
  #unsettled = false

  constructor(options: ImportOptions) {
    this.#options = options
  }

  async event(uuid: string, text: string): Promise<void> {
    if (this.#kind !== null) await this.#flushLines()
    if (this.#events.has(uuid)) this.#counts.known += 1
    else {
      this.#events.set(uuid, text)
      this.#bytes += text.length
    }
    if (this.#events.size >= BATCH.events || this.#bytes >= BATCH.bytes) await this.#flushEvents()
  }

  async identity(kind: IdentityKind, line: unknown): Promise<void> {
    if (this.#events.size > 0) await this.#flushEvents()
    if (this.#kind !== kind) await this.#flushLines()
    if (LAST.has(kind) && this.#unsettled) await this.#settle()
    this.#kind = kind
    this.#lines.push(line)
    if (this.#lines.length >= LINES) await this.#flushLines()
  }

  bad(line: number, reason: string): void {
    this.#counts.bad += 1
    this.#options.onBad?.(line, reason)
  }

  async end(): Promise<ImportCounts> {
    await this.#flushEvents()
    await this.#flushLines()
    if (this.#unsettled) await this.#settle()
    return this.#counts
  }

  async #flushEvents(): Promise<void> {
    const { target, onProgress } = this.#options
    if (this.#events.size === 0) return
    const stored = await target.stored([...this.#events.keys()])
    const fresh = [...this.#events].filter(([uuid]) => !stored.has(uuid)).map(([, text]) => text)
    if (fresh.length > 0) {
      await target.send(fresh)
      this.#unsettled = true
    }
    this.#counts.events += fresh.length
    this.#counts.known += stored.size
    this.#events = new Map()
    this.#bytes = 0
    onProgress?.(this.#counts)
  }

  async #flushLines(): Promise<void> {
    const { target, onProgress } = this.#options
    const [kind, lines] = [this.#kind, this.#lines]
    this.#kind = null
    this.#lines = []
    if (kind === null || lines.length === 0) return
    await target.identities({ project: target.project, kind, lines })
    if (kind === 'person') this.#counts.persons += lines.length
    if (kind === 'group') this.#counts.groups += lines.length
    onProgress?.(this.#counts)
  }

  async #settle(): Promise<void> {
    await this.#options.target.settled()
    this.#unsettled = false
  }
}
