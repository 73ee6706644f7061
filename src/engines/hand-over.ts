import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Gives a folder and all in it to a user. Walks it only when the owner changes, or when asked to. */
export async function handOver(folder: string, { uid, gid }: Owner, always = false): Promise<void> {
  if (!always && (await lstat(folder)).uid === uid) return
  await walk(folder, (entry) => lchown(entry, uid, gid))
}

/** Takes a folder and all in it from everybody but its owner. Version 0.1 left both to the mask it was started with. */
export async function closeToOthers(folder: string): Promise<void> {
  if (((await lstat(folder)).mode & 0o077) === 0) return
  await walk(folder, async (entry) => {
    const found = await lstat(entry)
    if (!found.isSymbolicLink() && (found.mode & 0o077) !== 0) await chmod(entry, found.mode & 0o700)
  })
}

/** The folder itself comes last, so that an interrupted walk is done again. */
async function walk(folder: string, visit: (entry: string) => Promise<void>): Promise<void> {
  // With their types: without, links to folders would be followed.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await visit(path.join(entry.parentPath, entry.name)).catch((error: NodeJS.ErrnoException) => {
      // An engine that is ending may still tidy up.
      if (error.code !== 'ENOENT') throw error
    })
  await visit(folder)
}
