import { chmod, lstat, mkdir, realpath } from 'node:fs/promises'
import path from 'node:path'

/** Creates a folder in the data folder that only its owner can enter, whatever the umask. Returns its real path. */
export async function privateFolder(dataDir: string, name: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const folder = path.join(await realpath(dataDir), name)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const [we, { uid, mode }] = [process.geteuid?.(), await lstat(folder)]
  if (we !== 0 && uid !== we)
    throw new Error(
      `${folder} belongs to user ${uid} and you are user ${we}: start Footfall as the user who made it, or choose another data folder (FOOTFALL_DATA).`,
    )
  if ((mode & 0o777) !== 0o700) await chmod(folder, 0o700)
  return folder
}
