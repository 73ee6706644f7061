import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises'
import type { ClickHouse } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { storedUuids } from '../events/index.ts'
import { DAY } from '../lib/durations.ts'
import type { Logger } from '../lib/logger.ts'
import { goodVisits } from './demo-content.ts'
import type { DemoEvent } from './journey.ts'
import { knownBegin, knownSessions } from './known.ts'
import { recordings } from './recording.ts'
import { saveDemoContent } from './save-demo-content.ts'
import { BATCH, sendRecordings, sendStory } from './send.ts'
import { inOrder, journeys, type StoryOptions } from './story.ts'

/** Progress of a load. `events` and `recordings` count new ones; what is already stored is not sent again. */
export interface DemoProgress {
  readonly state: 'sending' | 'storing' | 'done' | 'failed'
  /** Events checked so far, and their total. */
  readonly looked: number
  readonly total: number
  readonly events: number
  readonly recordings: number
  /** The dashboard, once the load is done; null when it was deleted. */
  readonly dashboard: number | null
  readonly error: string | null
}

interface DemoProject {
  readonly id: number
  readonly api_token: string
}

interface DemoOptions extends Pick<StoryOptions, 'visitors'> {
  /** The owner of the dashboard, insights and playlists; by default the first member. */
  readonly owner?: number
}

/** An upload that is older than a week counts as one with a wrong clock. */
const RECORDED_MS = 6 * DAY
const MOST_RECORDINGS = 40
const STORED_WITHIN_MS = 120_000

/**
 * Loads the demo data into projects, one load at a time for each. A load goes sending -> storing -> done, or to failed
 * from either; its result is kept until the next load of the project or the end of the process. Events and recordings
 * use the capture API, and the dashboard is created once, so a load can be repeated at any point.
 */
export class DemoLoader {
  readonly #clickhouse: ClickHouse
  readonly #sql: Sql
  readonly #url: string
  readonly #log: Logger
  readonly #loads = new Map<number, DemoProgress>()

  constructor({ clickhouse, sql, url, log }: { clickhouse: ClickHouse; sql: Sql; url: string; log: Logger }) {
    this.#clickhouse = clickhouse
    this.#sql = sql
    this.#url = url
    this.#log = log
  }

  progress(project: number): DemoProgress | null {
    return this.#loads.get(project) ?? null
  }

  /** Begins a load, unless one is running. */
  begin(project: DemoProject, options: DemoOptions = {}): DemoProgress {
    const known = this.#loads.get(project.id)
    if (known?.state === 'sending' || known?.state === 'storing') return known
    const tell = (change: Partial<DemoProgress>): DemoProgress => {
      const progress = { ...(this.#loads.get(project.id) ?? NOTHING), ...change }
      this.#loads.set(project.id, progress)
      return progress
    }
    const begun = tell(NOTHING)
    this.#load(project, options, tell).then(
      (dashboard) => tell({ state: 'done', dashboard }),
      (error: Error) => {
        this.#log.warn({ error, project: project.id }, 'the demo could not be loaded')
        tell({ state: 'failed', error: error.message })
      },
    )
    return begun
  }

  async #load(
    { id, api_token: token }: DemoProject,
    { owner, ...options }: DemoOptions,
    tell: (change: Partial<DemoProgress>) => void,
  ): Promise<number | null> {
    const end = Date.now()
    const begin = await knownBegin(this.#clickhouse, id)
    const events = await told({ ...options, end, ...(begin === null ? {} : { begin }) })
    const to = { url: this.#url, token }
    tell({ total: events.length })
    const sent: string[] = []
    for (let looked = 0; looked < events.length; looked += BATCH) {
      const batch = events.slice(looked, looked + BATCH)
      const stored = await storedUuids(
        this.#clickhouse,
        id,
        batch.map(({ uuid }) => uuid),
      )
      const fresh = batch.filter(({ uuid }) => !stored.has(uuid))
      await sendStory(fresh, to)
      sent.push(...fresh.map(({ uuid }) => uuid))
      tell({ looked: looked + batch.length, events: sent.length })
      await breathe()
    }
    const watched = recordings(events, { since: end - RECORDED_MS, most: MOST_RECORDINGS })
    const ids = watched.map(({ sessionId }) => sessionId)
    const known = await knownSessions(this.#clickhouse, id, ids)
    const fresh = watched.filter(({ sessionId }) => !known.has(sessionId))
    await sendRecordings(fresh, to)
    tell({ state: 'storing', recordings: fresh.length })
    await this.#stored(
      id,
      sent,
      fresh.map(({ sessionId }) => sessionId),
    )
    return saveDemoContent(this.#sql, id, { owner: owner ?? null, goodVisits: goodVisits(events, ids) })
  }

  /**
   * Waits until everything that was sent can be queried: partitions are not equally far, so that the last events may be
   * there before earlier ones. A timeout is not a failure: they are in the log and will be processed.
   */
  async #stored(project: number, uuids: readonly string[], sessionIds: readonly string[]): Promise<void> {
    let there = 0
    for (const end = Date.now() + STORED_WITHIN_MS; Date.now() < end; await delay(200)) {
      for (; there < uuids.length; there += BATCH) {
        const batch = uuids.slice(there, there + BATCH)
        if ((await storedUuids(this.#clickhouse, project, batch)).size < batch.length) break
      }
      const sessions = await knownSessions(this.#clickhouse, project, sessionIds)
      if (there >= uuids.length && sessions.size === sessionIds.length) return
    }
  }
}

/** Generates the demo data in steps, so that the service can do other work in between. */
async function told(options: StoryOptions): Promise<DemoEvent[]> {
  const events: DemoEvent[] = []
  for (const journey of journeys(options)) {
    for (const event of journey) events.push(event)
    await breathe()
  }
  return inOrder(events)
}

const NOTHING: DemoProgress = {
  state: 'sending',
  looked: 0,
  total: 0,
  events: 0,
  recordings: 0,
  dashboard: null,
  error: null,
}
