import { rm } from 'node:fs/promises'
import path from 'node:path'
import { acquireFolderLock } from '../../../engines/data-lock.ts'

/**
 * Refuses a second writer on one folder. The lock is a listening socket, which goes with its process: a dead one that still stands in the
 * process table holds nothing.
 */
export async function lockFolder(dir: string): Promise<() => Promise<void>> {
  // How version 0.1 did it: with the number of its process. The lock of the data folder says that no 0.1 runs here.
  await rm(path.join(dir, 'writer.lock'), { force: true })
  const { release } = await acquireFolderLock(
    dir,
    (holder) => `The log in ${dir} is already open for writing by ${holder}.`,
  )
  return release
}
