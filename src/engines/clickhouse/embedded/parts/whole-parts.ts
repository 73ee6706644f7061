import type { Session } from 'chdb'
import { freeBytes } from '../../../../lib/free-bytes.ts'
import { literal } from '../sessions/set-statement.ts'
import { activeParts, hasItsSizes, hasItsSources, isOfOneInsert, isWhole, nameOf, type Part } from './parts.ts'

const MIB = 1024 * 1024
/** Below this the log accepts no more events. */
const LITTLE_ROOM = 256 * MIB
/** How fast another program may take disk space and free it again between two checks. */
const TAKEN_A_SECOND = 4096 * MIB

/**
 * When a disk fills up while the engine writes a part, the part may stay without its marks, both after inserts and
 * after merges; the engine reports no error, and every query that reads the part fails. So parts written at such a time
 * are checked:
 *
 *   of an insert   after an insert that failed, or with little space left, before the next insert is acknowledged. A
 *                  broken part is dropped with its deduplication id, and the sender gets an error and sends again; rows
 *                  that were stored are then recognised as duplicates.
 *   of a merge     at the same times, and from time to time. Its source parts exist for some minutes, and an engine
 *                  that starts uses them instead: so the engine is restarted.
 */
export class WholeParts {
  readonly #folder: string
  readonly #startAnew: (why: string) => void
  #dropped = 0
  /** Since when parts may be broken, in milliseconds. */
  #doubtedSince: number | null = null
  #mergesLookedAt = Date.now()
  #looking: Promise<unknown> = Promise.resolve()

  constructor(folder: string, startAnew: (why: string) => void) {
    this.#folder = folder
    this.#startAnew = startAnew
  }

  /** Runs an insert in a session that may write, and checks its parts if necessary. */
  async expect<T>(engine: Session, insert: () => Promise<T>): Promise<T> {
    const before = this.#dropped
    const startedAt = Date.now()
    const roomBefore = await freeBytes(this.#folder)
    const inserted = await insert().catch((error) => {
      this.#doubt(startedAt)
      throw error
    })
    const room = Math.min(roomBefore, await freeBytes(this.#folder))
    if (room < LITTLE_ROOM + ((Date.now() - startedAt) / 1000) * TAKEN_A_SECOND) this.#doubt(startedAt)
    if (this.#doubtedSince !== null) {
      // One after another, so that no check finds a part that another one is about to drop.
      const looking = this.#looking.then(() => this.#dropBroken(engine))
      this.#looking = looking.catch(() => {})
      await looking
    }
    if (this.#dropped !== before)
      throw new Error('Code: 243. DB::Exception: Not enough space: a part was not written whole. (NOT_ENOUGH_SPACE)')
    return inserted
  }

  /** Checks the parts merged since the last time. */
  async lookAtMerges(engine: Session): Promise<void> {
    const from = Date.now()
    const parts = await activeParts(engine, this.#mergesLookedAt)
    for (const part of parts) if (!isOfOneInsert(part)) await this.#expectMerged(engine, part)
    this.#mergesLookedAt = from
  }

  #doubt(since: number): void {
    this.#doubtedSince = Math.min(this.#doubtedSince ?? since, since)
  }

  async #dropBroken(engine: Session): Promise<void> {
    const since = this.#doubtedSince
    if (since === null) return
    this.#doubtedSince = null
    try {
      for (const part of await activeParts(engine, since)) {
        if (!isOfOneInsert(part)) await this.#expectMerged(engine, part)
        else if (!(await isWhole(engine, part))) {
          this.#dropped++
          await engine.queryAsync(`ALTER TABLE ${nameOf(part)} DROP PART ${literal(part.name)}`)
        }
      }
    } catch (error) {
      this.#doubt(since)
      throw error
    }
  }

  /** By the sizes of its files: reading all of a large part would take as long as the merge. */
  async #expectMerged(engine: Session, part: Part): Promise<void> {
    if ((await hasItsSizes(part)) || (await isWhole(engine, part)) || !(await hasItsSources(engine, part))) return
    // A partition once lost rows after a restart on a full disk, for an unknown reason: restart only when there is
    // space.
    if ((await freeBytes(this.#folder)) >= LITTLE_ROOM)
      this.#startAnew(`the part ${part.name} of ${nameOf(part)} was not merged whole`)
    throw new Error('Code: 243. DB::Exception: Not enough space: a part was not merged whole. (NOT_ENOUGH_SPACE)')
  }
}
