import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** The system holds a socket's path in 104 (macOS) to 108 bytes (Linux), with a closing zero. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/**
 * Where the sockets of a folder lie: in the folder itself or, when it lies too deep for a socket's path, in a private folder under the
 * system's temporary one, named after it. `longestName` is the longest name a socket will have.
 */
export async function socketDirectory(folder: string, longestName: string): Promise<string> {
  if (Buffer.byteLength(path.join(folder, longestName)) <= LONGEST_PATH) return folder
  const short = shortDirectory(folder)
  await mkdir(short, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await refuseForeign(short, folder)
  return short
}

export const shortDirectory = (folder: string): string =>
  path.join(os.tmpdir(), `footfall-${createHash('sha256').update(folder).digest('base64url').slice(0, 16)}`)

/** Everybody may write to the temporary folder: someone else may have made ours first, to listen in. */
async function refuseForeign(short: string, folder: string): Promise<void> {
  const [found, wanted] = [await lstat(short), await lstat(folder)]
  const ours = [process.geteuid?.(), wanted.uid].includes(found.uid)
  if (!found.isDirectory() || !ours || (found.mode & 0o077) !== 0)
    throw new Error(
      `${short} is to hold the sockets of ${folder} but is not a private folder of ours. Remove it, or use a data folder with a shorter path.`,
    )
}
