import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from '../../../lib/logger.ts'
import { pause } from '../../../lib/pause.ts'
import { privateFolder } from '../../private-folder.ts'
import { chooseRunAs, commandAs, type EngineProgram, type RunAs } from '../../run-as.ts'
import { socketDirectory } from '../../socket-directory.ts'
import { type ChildState, SupervisedChild } from '../../supervised-child.ts'
import { asProgram, environmentOf, findBinaries, type PostgresBinaries } from './binaries.ts'
import { clusterName, endLeftovers } from './leftovers.ts'
import { DATABASE, isSecured, SERVICE_ROLE, secureCluster } from './roles.ts'
import { initdbArguments, serverArguments } from './settings.ts'
import { asSetupUser } from './setup-user.ts'

/**
 * A PostgreSQL server from an npm package, as a supervised child on a Unix socket.
 *
 *   <data>/postgres/            mode 0700, owned by the user that runs the server; contains the socket
 *   <data>/postgres/secret      the password of the service's role, mode 0600
 *   <data>/postgres/cluster/    the server's data directory; appears whole (renamed into place after initdb) or not at
 *                               all
 *
 * The caller holds the data lock (`acquireDataLock`), so a server that is running on the cluster was left by a killed
 * Footfall: it is stopped before ours starts.
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
  readonly password: string
  readonly database: string
}

/** The superuser of initdb. It cannot connect (roles.ts). */
const SUPERUSER = 'footfall'
const SOCKET_LOCK = '.s.PGSQL.5432.lock'

export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const { folder, cluster, secretFile } = await prepareCluster(options)
  const binaries = options.binaries ?? (await findBinaries(path.join(folder, 'lib')))
  const runAs = await chooseRunAs(asProgram(binaries), folder)
  const host = await socketDirectory(folder, SOCKET_LOCK)
  if (host !== folder && runAs.uid !== undefined) await chown(host, runAs.uid, runAs.gid ?? runAs.uid)
  const lockFiles = [path.join(cluster, 'postmaster.pid'), path.join(host, SOCKET_LOCK)]
  const password = await readFile(secretFile, 'utf8')

  const args = ['-D', cluster, ...serverArguments(host, clusterName(cluster))]
  const child = await SupervisedChild.start({
    name: 'postgres',
    log,
    command: async () => {
      await endLeftovers(cluster, lockFiles, log)
      const command = commandAs(runAs, environmentOf(binaries), binaries.postgres, args)
      // Ctrl-C would shut it down while the service still finishes requests.
      return { ...command, ownGroup: true }
    },
    ready: (process, over) => saysReady(cluster, process.pid, over),
    // Fast shutdown: open transactions are rolled back, a checkpoint is written.
    askToStop: (process) => process.kill('SIGINT'),
    stopTimeoutMs: 8_000,
  })
  return {
    connection: { host, port: 5432, user: SERVICE_ROLE, password, database: DATABASE },
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

interface StartOptions {
  readonly dataDir: string
  readonly log: Logger
  /** Another build of the server than the one from npm. */
  readonly binaries?: PostgresBinaries
}

/** The files that are needed to run it. */
export const startProgram = async (dataDir: string): Promise<EngineProgram> =>
  asProgram(await findBinaries(path.join(dataDir, 'postgres', 'lib')))

/** Whether a server can be started in the folder as it is. */
export const isPrepared = (dataDir: string): Promise<boolean> =>
  isSecured(path.join(dataDir, 'postgres', 'cluster'), path.join(dataDir, 'postgres', 'secret'))

/** Creates the cluster and its roles, if missing, and stops what a killed Footfall left running on it. */
export async function prepareCluster({ dataDir, log, binaries: given }: StartOptions) {
  const folder = await privateFolder(dataDir, 'postgres')
  const [cluster, secretFile] = [path.join(folder, 'cluster'), path.join(folder, 'secret')]
  const host = await socketDirectory(folder, SOCKET_LOCK)
  await endLeftovers(cluster, [path.join(cluster, 'postmaster.pid'), path.join(host, SOCKET_LOCK)], log)
  if (!(await isPrepared(dataDir))) {
    const binaries = given ?? (await findBinaries(path.join(folder, 'lib')))
    await asSetupUser(asProgram(binaries), folder, async (runAs) => {
      if (!existsSync(path.join(cluster, 'PG_VERSION'))) await createCluster(folder, binaries, runAs, secretFile)
      await refuseOtherVersion(cluster)
      await secureCluster({ cluster, binaries, runAs }, secretFile, false)
    })
  }
  await refuseOtherVersion(cluster)
  return { folder, cluster, secretFile }
}

/** In a folder beside it first, so that a crash leaves nothing that looks like a complete cluster. */
async function createCluster(
  folder: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
  secretFile: string,
): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith('cluster')) await rm(path.join(folder, name), { recursive: true })
  const fresh = path.join(folder, `cluster.new`)
  const initdb = async (...arguments_: string[]) => {
    const { file, args, ...options } = commandAs(runAs, environmentOf(binaries), binaries.initdb, arguments_)
    await promisify(execFile)(file, args, options).catch((error: Error & { stderr?: string }) => {
      throw new Error(`initdb could not create ${fresh}: ${error.stderr?.trim() || error.message}`)
    })
  }
  await initdb(...initdbArguments(fresh, SUPERUSER), '--no-sync')
  await secureCluster({ cluster: fresh, binaries, runAs }, secretFile, true)
  await initdb('--sync-only', '--pgdata', fresh)
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

/** The server writes its state to the eighth line of its pid file; recovery after a crash may take long. */
async function saysReady(cluster: string, pid: number | undefined, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(pid) && lines[7]?.trim() === 'ready') return
    await pause(10, over)
  }
}
