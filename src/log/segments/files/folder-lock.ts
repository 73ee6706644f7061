import { rm } from 'node:fs/promises'
import path from 'node:path'
import { acquireFolderLock } from '../../../engines/data-lock.ts'

/**
 * Refuses a second writer on one folder. The lock is a listening socket, which ends with its process: a zombie process
 * does not hold it.
 */
export async function lockFolder(dir: string): Promise<() => Promise<void>> {
  // Version 0.1 used a file with its process id. We have the lock of the data folder, so no 0.1 is running here.
  await rm(path.join(dir, 'writer.lock'), { force: true })
  const { release } = await acquireFolderLock(
    dir,
    (holder) => `The log in ${dir} is already open for writing by ${holder}.`,
  )
  return release
}
