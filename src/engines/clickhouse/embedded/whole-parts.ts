import type { Session } from 'chdb'
import { freeBytes } from '../../../lib/free-bytes.ts'
import { literal } from './set-statement.ts'

/** The log takes no more events below this: what is inserted now is what came before. */
const LITTLE_ROOM = 256 * 1024 * 1024

/**
 * When a disk fills up while the engine writes a part, it was seen to acknowledge the insert although the part's marks had not been written:
 * those rows are lost, and every question that meets the part fails. So what is inserted with little room left is looked through before it
 * is believed. A part that is not whole is dropped, its deduplication id with it, and whoever may have sent it is told to send again; rows
 * that did arrive are then taken for the repetition they are.
 */
export class WholeParts {
  readonly #folder: string
  #dropped = 0
  #looking: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Before an insert: what `expectSince` compares with afterwards. */
  get dropped(): number {
    return this.#dropped
  }

  /** After an insert, in a session that may write. */
  async expectSince(before: number, engine: Session): Promise<void> {
    if ((await freeBytes(this.#folder)) < LITTLE_ROOM) {
      // One after the other, so that nobody finds a part that another one is about to drop.
      const looking = this.#looking.then(() => this.#dropBroken(engine))
      this.#looking = looking.catch(() => {})
      await looking
    }
    if (this.#dropped !== before)
      throw new Error('Code: 243. DB::Exception: Not enough space: a part was not written whole. (NOT_ENOUGH_SPACE)')
  }

  async #dropBroken(engine: Session): Promise<void> {
    for (const { table, name } of await recentParts(engine)) {
      const check = `CHECK TABLE \`${table}\` PART ${literal(name)} SETTINGS check_query_single_value_result = 1`
      const checked = await engine.queryAsync(check, { format: 'TabSeparated' })
      if (checked.text().trim() === '1') continue
      this.#dropped++
      await engine.queryAsync(`ALTER TABLE \`${table}\` DROP PART ${literal(name)}`)
    }
  }
}

/** Parts of inserts; a merge keeps what it was made of for a while. */
async function recentParts(engine: Session): Promise<{ table: string; name: string }[]> {
  const found = await engine.queryAsync(
    `SELECT table, name FROM system.parts
     WHERE active AND level = 0 AND database = currentDatabase() AND modification_time > now() - INTERVAL 5 MINUTE`,
    { format: 'JSONEachRow' },
  )
  return found
    .text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
