import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Logger } from '../../../lib/logger.ts'

/**
 * Stops what a killed Footfall left running on a cluster:
 * - the server itself, if only Footfall was killed: by a fast shutdown;
 * - backends of a server that was killed: they notice it and end, but one in a long query may take long, and the next
 *   server does not start before the last has ended. They are killed at once.
 */
const FAST_SHUTDOWN_MS = 10_000
const BACKENDS_GRACE_MS = 1_000

/**
 * Part of the titles of all processes of the cluster's server ("postgres: <name>: checkpointer"), by which they are
 * recognised.
 */
export const clusterName = (cluster: string): string =>
  `footfall-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`

/** `lockFiles` are those the server makes: `postmaster.pid` and the one beside its socket. */
export async function endLeftovers(cluster: string, lockFiles: readonly string[], log: Logger): Promise<void> {
  const servers = () => matching(({ argv }) => isServerOf(argv, cluster))
  const backends = () => matching(({ argv }) => argv[0]?.startsWith(`postgres: ${clusterName(cluster)}:`) ?? false)
  for (const pid of await servers()) log.warn({ pid }, 'stopping the database server a killed Footfall left behind')
  await end(servers, 'SIGINT', FAST_SHUTDOWN_MS)
  await end(backends, 'SIGQUIT', BACKENDS_GRACE_MS)
  await forgetDeadServer(lockFiles)
}

/**
 * A killed server leaves its pid in its lock files, and the next one respects them as long as any process has that pid:
 * a zombie, or another program after a reboot. They are removed unless a running server, which we did not recognise,
 * has that pid.
 */
async function forgetDeadServer(lockFiles: readonly string[]): Promise<void> {
  for (const file of lockFiles) {
    const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10)
    const living = await matching((process) => process.pid === pid && /postgres/.test(process.argv[0] ?? ''))
    if (living.length === 0) await rm(file, { force: true })
  }
}

/** Signals the processes and waits until they have ended; kills those that are left after a while. */
async function end(find: () => Promise<number[]>, signal: NodeJS.Signals, patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs
  const told = new Set<number>()
  for (let pids = await find(); pids.length > 0; pids = await find()) {
    const late = Date.now() > deadline
    for (const pid of pids) if (late || !told.has(pid)) tell(pid, late ? 'SIGKILL' : signal)
    for (const pid of pids) told.add(pid)
    await delay(20)
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** `postgres -D <cluster> ...`, as we start it. Its children replace their arguments by a title. */
const isServerOf = (argv: readonly string[], cluster: string): boolean =>
  /(^|\/)postgres$/.test(argv[0] ?? '') && argv[1] === '-D' && argv[2] === cluster

interface RunningProcess {
  readonly pid: number
  readonly argv: readonly string[]
}

async function matching(test: (process: RunningProcess) => boolean): Promise<number[]> {
  const all = process.platform === 'linux' ? await fromProc() : await fromPs()
  return all.filter(test).map(({ pid }) => pid)
}

/** A zombie has an empty command line, so it never matches. It holds nothing, and signals have no effect on it. */
async function fromProc(): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return await Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      argv: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'),
    })),
  )
}

/** `ps` joins arguments by spaces. Ours are known: the program, -D, the cluster, then options that start with -c. */
async function fromPs(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='])
  return stdout.split('\n').map((line) => {
    const [, pid, command = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? []
    const server = /^(.*\/postgres) (-D) (.*?) -c /.exec(command)
    return { pid: Number(pid), argv: server ? server.slice(1) : [command] }
  })
}
