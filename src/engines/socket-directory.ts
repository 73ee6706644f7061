import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** The path of a socket has at most 104 (macOS) or 108 bytes (Linux), with a final zero. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/**
 * The directory for the sockets of a folder: the folder itself or, when its path is too long for a socket, a private
 * folder in the system's temporary directory, named after it. `longestName` is the longest name a socket will have.
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

/**
 * All users may write to the temporary directory: another user may have created ours first, to intercept connections.
 */
async function refuseForeign(short: string, folder: string): Promise<void> {
  const [found, wanted] = [await lstat(short), await lstat(folder)]
  const ours = [process.geteuid?.(), wanted.uid].includes(found.uid)
  if (!found.isDirectory() || !ours || (found.mode & 0o077) !== 0)
    throw new Error(
      `${short} is to hold the sockets of ${folder} but is not a private folder of ours. Remove it, or use a data folder with a shorter path.`,
    )
}
