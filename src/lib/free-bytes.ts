import { statfs } from 'node:fs/promises'

/** Free bytes on the disk of a folder, for users who are not root. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
