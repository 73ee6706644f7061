import { existsSync, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** What of a folder, itself included, others than its owner may read, write or enter. */
export function openToOthers(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => path.join(entry.parentPath, entry.name))
  return [folder, ...entries].filter((file) => existsSync(file) && (lstatSync(file).mode & 0o077) !== 0)
}
