import { access, constants, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from './config.ts'

/** Creates the data folder if needed, and checks that we may write to it. */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`FOOTFALL_DATA: ${folder} cannot be made or written to: ${(error as Error).message}`)
  }
}

/** One level at a time: in a place such as /proc, the recursive mkdir of Node 20 never ends. */
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
