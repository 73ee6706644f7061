import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Logger } from '../../lib/logger.ts'
import { socketDirectory } from '../socket-directory.ts'
import { type ChildState, SupervisedChild } from '../supervised-child.ts'
import { findBinaries, type PostgresBinaries } from './binaries.ts'
import { clusterName, endLeftovers } from './leftovers.ts'
import { chooseRunAs, commandAs, type RunAs } from './run-as.ts'
import { initdbArguments, serverArguments } from './settings.ts'

/**
 * A PostgreSQL server of our own, out of an npm package, as a supervised child on a Unix socket.
 *
 *   <data>/postgres/            mode 0700, owned by whoever runs the server; the socket lies here
 *   <data>/postgres/cluster/    the server's data directory; appears whole (renamed into place after initdb) or not at all
 *
 * The caller holds the data lock (`acquireDataLock`), so whatever server is found running on the cluster is the orphan of a Footfall
 * that was killed: it is stopped before ours starts.
 */
export interface EmbeddedPostgres {
  readonly connection: PostgresConnection
  readonly state: ChildState
  readonly pid: number | undefined
  readonly restarts: number
  whenReady(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresConnection {
  /** The directory of the socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

const USER = 'footfall'
const SOCKET_LOCK = '.s.PGSQL.5432.lock'

export async function startEmbeddedPostgres(options: {
  readonly dataDir: string
  readonly log: Logger
  /** Another build of the server than the one out of npm. */
  readonly binaries?: PostgresBinaries
}): Promise<EmbeddedPostgres> {
  const { log } = options
  const folder = await ownFolder(options.dataDir)
  const binaries = options.binaries ?? (await findBinaries(path.join(folder, 'lib')))
  const runAs = await chooseRunAs(binaries, folder)
  const host = await socketDirectory(folder, SOCKET_LOCK)
  if (host !== folder && runAs.uid !== undefined) await chown(host, runAs.uid, runAs.gid ?? runAs.uid)
  const cluster = path.join(folder, 'cluster')
  if (!existsSync(path.join(cluster, 'PG_VERSION'))) await createCluster(folder, binaries, runAs)
  await refuseOtherVersion(cluster)

  const args = ['-D', cluster, ...serverArguments(host, clusterName(cluster))]
  const child = await SupervisedChild.start({
    name: 'postgres',
    log,
    command: async () => {
      await endLeftovers(cluster, [path.join(cluster, 'postmaster.pid'), path.join(host, SOCKET_LOCK)], log)
      return commandAs(runAs, binaries, binaries.postgres, args)
    },
    ready: (process) => saysReady(cluster, process.pid),
    // Fast shutdown: open transactions are rolled back, a checkpoint is written.
    askToStop: (process) => process.kill('SIGINT'),
    stopTimeoutMs: 8_000,
  })
  return {
    connection: { host, port: 5432, user: USER, database: 'postgres' },
    get state() {
      return child.state
    },
    get pid() {
      return child.pid
    },
    get restarts() {
      return child.restarts
    },
    whenReady: () => child.whenReady(),
    stop: () => child.stop(),
  }
}

async function ownFolder(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const folder = path.join(await realpath(dataDir), 'postgres')
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

/** In a folder beside its place first, so that a crash half-way leaves nothing that looks like a cluster. */
async function createCluster(folder: string, binaries: PostgresBinaries, runAs: RunAs): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith('cluster')) await rm(path.join(folder, name), { recursive: true })
  const fresh = path.join(folder, `cluster.new`)
  const { file, args, ...options } = commandAs(runAs, binaries, binaries.initdb, initdbArguments(fresh, USER))
  await promisify(execFile)(file, args, options).catch((error: Error & { stderr?: string }) => {
    throw new Error(`initdb could not create ${fresh}: ${error.stderr?.trim() || error.message}`)
  })
  await rename(fresh, path.join(folder, 'cluster'))
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

const SERVER_VERSION = '18'

async function refuseOtherVersion(cluster: string): Promise<void> {
  const version = (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim()
  if (version !== SERVER_VERSION)
    throw new Error(
      `${cluster} was made by PostgreSQL ${version} and this Footfall brings PostgreSQL ${SERVER_VERSION}: start the Footfall that made it, and move the data with backup and restore.`,
    )
}

/** The server writes its state on the eighth line of its pid file; recovery after a crash may take its time. */
async function saysReady(cluster: string, pid: number | undefined): Promise<void> {
  for (;;) {
    const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(pid) && lines[7]?.trim() === 'ready') return
    await delay(10)
  }
}
