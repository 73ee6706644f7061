import type { TransactionSql } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import { type LeftOut, NAME_LIMITS, type NameLimits, withinLimits } from './name-limits.ts'
import { definitionRows, writeDefinitions } from './store.ts'
import {
  addTally,
  type DefinitionEvent,
  emptyProject,
  getOrAdd,
  type ProjectTally,
  type PropertyTally,
  type Tally,
  tallyOf,
} from './tally.ts'

export interface NotedBatch {
  /** Leaves out names beyond the limits of a project, and returns them. Only reads; must be called before `write`. */
  limit(tx: TransactionSql): Promise<readonly LeftOut[]>
  /** Writes new names and due counts in the batch's transaction; most of the time there are none. */
  write(tx: TransactionSql): Promise<void>
  /** The transaction has committed. Without this call (after a rollback) the batch counts for nothing. */
  committed(): void
}

/**
 * Records the definitions of events and properties. A new name is written in the transaction of its batch; counts,
 * samples and `last_seen_at` of known names are collected in memory and written from time to time. A crash loses what
 * is in memory: counts only rank lists.
 *
 * The recorder remembers which names it has written. Above a limit it clears this memory.
 */
export class DefinitionRecorder {
  #known: Tally = new Map()
  #knownNames = 0
  #pending: Tally = new Map()
  #flushedAt: number | null = null
  readonly #flushEveryMs: number
  readonly #maxNames: number
  readonly #limits: NameLimits

  constructor({ flushEveryMs = MINUTE, maxNames = 100_000, limits = NAME_LIMITS } = {}) {
    this.#limits = limits
    this.#flushEveryMs = flushEveryMs
    this.#maxNames = maxNames
  }

  note(events: readonly DefinitionEvent[], now: Date): NotedBatch {
    const nowMs = now.getTime()
    const batch = tallyOf(events, nowMs)
    this.#flushedAt ??= nowMs
    const flush = nowMs - this.#flushedAt >= this.#flushEveryMs
    const { fresh, rest } = flush ? { fresh: batch, rest: new Map() } : this.#divide(batch)
    const due: Tally = fresh
    const since = flush ? this.#flushedAt : nowMs
    if (flush) addTally(due, this.#pending)
    let rows = definitionRows(due)
    return {
      limit: async (tx) => {
        const limited = await withinLimits(tx, rows, this.#limits, now)
        rows = limited.rows
        return limited.leftOut
      },
      write: (tx) => writeDefinitions(tx, rows, now, new Date(since)),
      committed: () => {
        if (flush) {
          this.#pending = new Map()
          this.#flushedAt = nowMs
        }
        addTally(this.#pending, rest)
        this.#learn(due)
      },
    }
  }

  /** Separates names that are new, or whose type is new, from the others. */
  #divide(batch: Tally): { fresh: Tally; rest: Tally } {
    const fresh: Tally = new Map()
    const rest: Tally = new Map()
    for (const [id, project] of batch) {
      const known = this.#known.get(id)
      const into = (isFresh: boolean): ProjectTally => getOrAdd(isFresh ? fresh : rest, id, emptyProject)
      for (const [name, event] of project.events) {
        const knownEvent = known?.events.get(name)
        const target = (isFresh: boolean) =>
          getOrAdd(into(isFresh).events, name, () => ({ count: 0, properties: new Map() }))
        target(!knownEvent).count += event.count
        for (const [property, tally] of event.properties)
          target(isNew(knownEvent?.properties.get(property), tally)).properties.set(property, tally)
      }
      for (const [name, tally] of project.person) into(isNew(known?.person.get(name), tally)).person.set(name, tally)
      for (const [index, properties] of project.group)
        for (const [name, tally] of properties)
          getOrAdd(into(isNew(known?.group.get(index)?.get(name), tally)).group, index, () => new Map()).set(
            name,
            tally,
          )
    }
    return { fresh, rest }
  }

  #learn(written: Tally): void {
    this.#knownNames += namesIn(written)
    if (this.#knownNames > this.#maxNames) {
      this.#known = new Map()
      this.#knownNames = 0
    }
    addTally(this.#known, written)
  }
}

const isNew = (known: PropertyTally | undefined, now: PropertyTally): boolean =>
  known === undefined || (known.type === null && now.type !== null)

function namesIn(tally: Tally): number {
  let names = 0
  for (const project of tally.values()) {
    names += project.person.size
    for (const event of project.events.values()) names += 1 + event.properties.size
    for (const properties of project.group.values()) names += properties.size
  }
  return names
}
