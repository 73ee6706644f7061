import { chown, lstat, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startProgram as clickHouseProgram, endLeftoverEngineIn } from '../../engines/clickhouse/index.ts'
import { acquireDataLock, type DataLock } from '../../engines/data-lock.ts'
import { closeToOthers, handOver, type Owner } from '../../engines/hand-over.ts'
import { isPrepared, startProgram as postgresProgram, prepareCluster } from '../../engines/postgres/index.ts'
import { type EngineProgram, whyNot } from '../../engines/run-as.ts'
import { shortDirectory } from '../../engines/socket-directory.ts'
import { entryPoint } from '../../lib/entry-point.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Config } from './config.ts'
import { needsRoot } from './free-port.ts'
import { newUser } from './new-user.ts'

/**
 * Locks the data folder, closes it to other users, and makes sure that as little as possible runs as root.
 *
 *   ordinary user  the folder is ours
 *   root           everything runs as the folder's owner from here on; a folder that belongs to root gets a new owner
 *                  (new-user.ts)
 *                  -> that user    if it can read the programs: this process switches to it, permanently
 *                  -> root         if it cannot (a checkout under a closed home), or if root is needed for something;
 *                                  the log says so. The engines then run as that user, or in a user namespace
 *                                  (engines/run-as.ts)
 *
 * A note in the folder, which only root can write, says that not everything in it belongs to its owner. It is written
 * before the first change and removed after the last, so that the next start completes one that was interrupted.
 */
const NOTE = 'not-handed-over'

export interface Stay {
  /** Why this process must stay root. */
  readonly because: string
  /** Runs before the folder is changed. */
  readonly first?: () => Promise<void>
}

export async function openAsUser(
  config: Config,
  log: Logger,
  stay: Stay | null = portReason(config),
): Promise<DataLock> {
  if (process.geteuid?.() !== 0) return await lockAndClose(config.data, stay)
  const data = await realpath(config.data)
  const owner = await lstat(data)
  const note = await lstat(path.join(data, NOTE)).catch(() => null)
  const programs = await programsOf(config)
  // The whole folder belongs to another user: nothing is done in it as root.
  const prepared = config.postgres_url !== undefined || (await isPrepared(data))
  const theirs = owner.uid !== 0 && note === null && prepared
  if (theirs && stay === null && (await reachable(owner, programs, data)) === null) {
    become(owner, data, log)
    return await lockAndClose(data)
  }
  const lock = await acquireDataLock(data)
  try {
    await stay?.first?.()
    const user = owner.uid === 0 ? await newUser(data) : owner
    await writeNote(data, note?.uid === 0)
    await chown(data, user.uid, user.gid)
    const failure = await reachable(user, programs, data)
    if (failure !== null) {
      await chown(data, 0, 0)
      if (owner.uid === 0) await rm(path.join(data, NOTE))
      sayRoot(log, `user ${user.uid}, whose the data would be, cannot reach what it needs (${failure})`)
      await closeToOthers(data)
      return lock
    }
    await endLeftoverEngineIn(data, log)
    await closeToOthers(data)
    if (config.postgres_url === undefined) await prepareCluster({ dataDir: data, log })
    await handOver(data, user, true)
    for (const folder of [data, ...['lock', 'postgres', 'clickhouse'].map((name) => path.join(data, name))])
      await chown(shortDirectory(folder), user.uid, user.gid).catch(() => {})
    if (stay) sayRoot(log, stay.because)
    else {
      await rm(path.join(data, NOTE))
      become(user, data, log)
    }
    return lock
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function lockAndClose(data: string, stay: Stay | null = null): Promise<DataLock> {
  const lock = await acquireDataLock(data)
  try {
    await stay?.first?.()
    await closeToOthers(data)
    return lock
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The programs of this process and of its embedded engines. */
async function programsOf(config: Config): Promise<EngineProgram[]> {
  return [
    { ...clickHouseProgram(), reads: [entryPoint(import.meta.url, '../service.ts'), ...clickHouseProgram().reads] },
    ...(config.postgres_url === undefined ? [await postgresProgram(config.data)] : []),
  ]
}

/** Null when the user can run all programs, else the reason. */
async function reachable(
  { uid, gid }: Owner,
  programs: readonly EngineProgram[],
  data: string,
): Promise<string | null> {
  const user = { name: `user ${uid}`, prefix: [], uid, gid }
  const failures = await Promise.all(programs.map((program) => whyNot(user, program, data)))
  return failures.find((failure) => failure !== null) ?? null
}

async function writeNote(data: string, isThere: boolean): Promise<void> {
  if (isThere) return
  await rm(path.join(data, NOTE), { recursive: true, force: true })
  await writeFile(path.join(data, NOTE), 'Not everything in this folder belongs to its owner yet.\n', { flag: 'wx' })
}

function become({ uid, gid }: Owner, data: string, log: Logger): void {
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
  process.env.HOME = data
  log.warn({ uid, gid }, `started as root: Footfall runs as user ${uid} from here on, the owner of ${data}`)
}

const sayRoot = (log: Logger, why: string) =>
  log.warn(`Footfall runs as root, because ${why}. Its engines do not. Better: start it as an ordinary user.`)

const portReason = ({ port }: Config): Stay | null =>
  needsRoot(port) ? { because: `only root may listen on port ${port}` } : null
