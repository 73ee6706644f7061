import type { Session } from 'chdb'
import { freeBytes } from '../../../lib/free-bytes.ts'
import { literal } from './set-statement.ts'

/** The log takes no more events below this: what is inserted now is what came before. */
const LITTLE_ROOM = 256 * 1024 * 1024

/**
 * When a disk fills up while the engine writes a part, the part was seen to stay although its marks had not been written: the insert fails,
 * is sent again, taken for a repetition and acknowledged. Its rows are lost, and every question that meets the part fails. So after an
 * insert that failed, or with little room left, the parts made since are looked through before the next one is acknowledged. One that is not
 * whole is dropped, its deduplication id with it, and whoever may have sent it is told to send again; rows that did arrive are then
 * taken for the repetition they are.
 */
export class WholeParts {
  readonly #folder: string
  #dropped = 0
  /** Since when parts may not be whole, in milliseconds. */
  #doubtedSince: number | null = null
  #looking: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Runs an insert in a session that may write, and expects what it made to be whole. */
  async expect<T>(engine: Session, insert: () => Promise<T>): Promise<T> {
    const before = this.#dropped
    const startedAt = Date.now()
    const inserted = await insert().catch((error) => {
      this.#doubt(startedAt)
      throw error
    })
    if ((await freeBytes(this.#folder)) < LITTLE_ROOM) this.#doubt(startedAt)
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

  #doubt(since: number): void {
    this.#doubtedSince = Math.min(this.#doubtedSince ?? since, since)
  }

  async #dropBroken(engine: Session): Promise<void> {
    const since = this.#doubtedSince
    if (since === null) return
    this.#doubtedSince = null
    try {
      for (const { table, name } of await partsSince(engine, since)) {
        const check = `CHECK TABLE \`${table}\` PART ${literal(name)} SETTINGS check_query_single_value_result = 1`
        const checked = await engine.queryAsync(check, { format: 'TabSeparated' })
        if (checked.text().trim() === '1') continue
        this.#dropped++
        await engine.queryAsync(`ALTER TABLE \`${table}\` DROP PART ${literal(name)}`)
      }
    } catch (error) {
      this.#doubt(since)
      throw error
    }
  }
}

/** Parts of inserts; a merge keeps what it was made of for a while. */
async function partsSince(engine: Session, since: number): Promise<{ table: string; name: string }[]> {
  const found = await engine.queryAsync(
    `SELECT table, name FROM system.parts
     WHERE active AND level = 0 AND database = currentDatabase() AND modification_time >= fromUnixTimestamp(${Math.floor(since / 1000)})`,
    { format: 'JSONEachRow' },
  )
  return found
    .text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
