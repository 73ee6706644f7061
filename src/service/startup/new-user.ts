import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Owner } from '../../engines/hand-over.ts'

/** A range that account tools do not use by themselves, and low enough for containers with 65,536 users. */
const FIRST = 50_000
const COUNT = 10_000

/**
 * A user id for this installation alone (unlike `nobody`). It needs no account: from then on it is the owner of the
 * data folder.
 */
export async function newUser(data: string): Promise<Owner> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  const groups = (await readFile('/etc/group', 'utf8').catch(() => '')).split('\n')
  const taken = new Set([...lines, ...groups].map((line) => Number(line.split(':')[2])))
  const start = createHash('sha256').update(data).digest().readUInt32BE(0)
  for (let n = 0; n < COUNT; n++) {
    const id = FIRST + ((start + n) % COUNT)
    if (!taken.has(id)) return { uid: id, gid: id }
  }
  throw new Error(
    `Every user id from ${FIRST} to ${FIRST + COUNT - 1} has an account: start Footfall as an ordinary user.`,
  )
}
