import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Makes a user the owner of a folder and its content. Walks the folder only when the owner changes, or on request. */
export async function handOver(folder: string, { uid, gid }: Owner, always = false): Promise<void> {
  if (!always && (await lstat(folder)).uid === uid) return
  await walk(folder, (entry) => lchown(entry, uid, gid))
}

/** Closes a folder and its content to everyone but its owner. Version 0.1 left the modes to the umask. */
export async function closeToOthers(folder: string): Promise<void> {
  if (((await lstat(folder)).mode & 0o077) === 0) return
  await walk(folder, async (entry) => {
    const found = await lstat(entry)
    if (!found.isSymbolicLink() && (found.mode & 0o077) !== 0) await chmod(entry, found.mode & 0o700)
  })
}

/** The folder itself comes last, so that an interrupted walk is repeated. */
async function walk(folder: string, visit: (entry: string) => Promise<void>): Promise<void> {
  // With file types: otherwise links to folders would be followed.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await visit(path.join(entry.parentPath, entry.name)).catch((error: NodeJS.ErrnoException) => {
      // An engine that is ending may still delete files.
      if (error.code !== 'ENOENT') throw error
    })
  await visit(folder)
}
