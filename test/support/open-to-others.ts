import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

interface Found {
  readonly path: string
  readonly mode: number
}

/** Everything in a folder, itself included, without symbolic links, while a service works in it. */
export function everythingIn(at: string): Found[] {
  const found = ifThere(() => lstatSync(at))
  if (found === null || found.isSymbolicLink()) return []
  const names = found.isDirectory() ? (ifThere(() => readdirSync(at)) ?? []) : []
  return [{ path: at, mode: found.mode }, ...names.flatMap((name) => everythingIn(path.join(at, name)))]
}

/** What of a folder, itself included, others than its owner may read, write or enter. */
export const openToOthers = (folder: string): string[] =>
  everythingIn(folder)
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path: file }) => file)

/** Null for what the service has removed or renamed meanwhile. */
function ifThere<T>(look: () => T): T | null {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
