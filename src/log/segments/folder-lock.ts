import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * Refuses a second writer on one folder. The file names the process that holds it, with its start time where the system tells it,
 * because after a restart (of a container above all) another process may have the same number.
 */
export async function lockFolder(dir: string): Promise<() => Promise<void>> {
  const file = path.join(dir, 'writer.lock')
  const mine = `${process.pid} ${await startTime(process.pid)}`
  const holder = await readFile(file, 'utf8').catch(() => '')
  if (holder !== '' && (await isRunning(holder)))
    throw new Error(`The log in ${dir} is already open for writing by process ${holder.split(' ')[0]}.`)
  await rm(file, { force: true })
  // 'wx': of two that found the same stale lock only one succeeds in the usual case.
  await writeFile(file, mine, { flag: 'wx' })
  return () => rm(file, { force: true })
}

async function isRunning(holder: string): Promise<boolean> {
  const [pid, started] = holder.split(' ')
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === (await startTime(Number(pid)))
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold blanks and brackets, so count from the last bracket. */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'unknown'
}
