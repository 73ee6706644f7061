import { statfs } from 'node:fs/promises'

/** What is left where a folder lies, for those who are not root. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
