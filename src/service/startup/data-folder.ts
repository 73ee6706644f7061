import { access, constants, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from './config.ts'

/** The folder of everything on disk: there afterwards, and ours to write to. */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`FOOTFALL_DATA: ${folder} cannot be made or written to: ${(error as Error).message}`)
  }
}

/** One level at a time: where nothing can be made, such as /proc, Node 20 tries the recursive way for ever. */
async function makeFolder(folder: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(folder, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    if (code !== 'ENOENT' || path.dirname(folder) === folder) throw error
    await makeFolder(path.dirname(folder), 0o755)
    await mkdir(folder, { mode })
  }
}
