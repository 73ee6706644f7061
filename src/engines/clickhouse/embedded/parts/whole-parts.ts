import type { Session } from 'chdb'
import { freeBytes } from '../../../../lib/free-bytes.ts'
import { literal } from '../sessions/set-statement.ts'
import { activeParts, hasItsSizes, hasItsSources, isOfOneInsert, isWhole, nameOf, type Part } from './parts.ts'

const MIB = 1024 * 1024
/** The log takes no more events below this: what is inserted now is what came before. */
const LITTLE_ROOM = 256 * MIB
/** How fast another program may take room, and give it back before anybody looks. */
const TAKEN_A_SECOND = 4096 * MIB

/**
 * When a disk fills up while the engine writes a part, the part was seen to stay although its marks had not been written, both after
 * inserts and after merges: the marks are empty, and nobody is told. Every question that meets the part fails. So parts made in such a
 * moment are looked through:
 *
 *   of an insert   after one that failed, or while little room was left, before the next insert is acknowledged. What is not whole is
 *                  dropped, its deduplication id with it, and whoever may have sent it is told to send again; rows that did arrive are
 *                  then taken for the repetition they are.
 *   of a merge     at the same moments, and once in a while. What it was made of lies beside it for minutes, and an engine that starts
 *                  takes that instead: so the engine is started anew.
 */
export class WholeParts {
  readonly #folder: string
  readonly #startAnew: (why: string) => void
  #dropped = 0
  /** Since when parts may not be whole, in milliseconds. */
  #doubtedSince: number | null = null
  #mergesLookedAt = Date.now()
  #looking: Promise<unknown> = Promise.resolve()

  constructor(folder: string, startAnew: (why: string) => void) {
    this.#folder = folder
    this.#startAnew = startAnew
  }

  /** Runs an insert in a session that may write, and expects what it made to be whole. */
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
      // One after the other, so that nobody finds a part that another one is about to drop.
      const looking = this.#looking.then(() => this.#dropBroken(engine))
      this.#looking = looking.catch(() => {})
      await looking
    }
    if (this.#dropped !== before)
      throw new Error('Code: 243. DB::Exception: Not enough space: a part was not written whole. (NOT_ENOUGH_SPACE)')
    return inserted
  }

  /** Looks at what was merged since the last time. */
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

  /** The sizes of its files tell: reading all of a large part would take as long as the merge. */
  async #expectMerged(engine: Session, part: Part): Promise<void> {
    if ((await hasItsSizes(part)) || (await isWhole(engine, part)) || !(await hasItsSources(engine, part))) return
    // Once, a partition lost rows after a start on a full disk, for a reason that was not found: not before there is room.
    if ((await freeBytes(this.#folder)) >= LITTLE_ROOM)
      this.#startAnew(`the part ${part.name} of ${nameOf(part)} was not merged whole`)
    throw new Error('Code: 243. DB::Exception: Not enough space: a part was not merged whole. (NOT_ENOUGH_SPACE)')
  }
}
