import { execFile } from 'node:child_process'
import { chown, lchown, lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './binaries.ts'

const run = promisify(execFile)

/** PostgreSQL refuses to run as root. This is how it is run instead. */
export interface RunAs {
  readonly name: string
  /** Put before the program and its arguments. */
  readonly prefix: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

const OURSELVES: RunAs = { name: 'this user', prefix: [] }

/**
 * Root in our eyes, and so the owner of everything we made, however closed the folders above it are; an ordinary user in its own eyes.
 * `unshare` becomes the program (no process between), so its pid and signals are the program's.
 */
const IN_USER_NAMESPACE: RunAs = {
  name: 'a user namespace',
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
}

/**
 * Chooses who runs the server. Not root: ourselves. Root: first another user (the owner of `folder`, or `nobody` when root owns it), who
 * has no power over the rest of the machine; where that user cannot reach the programs or the folder (a checkout under a closed
 * home), a user namespace. `folder` and all in it is handed to whom it will belong to.
 */
export async function chooseRunAs(binaries: PostgresBinaries, folder: string): Promise<RunAs> {
  if (process.geteuid?.() !== 0) return OURSELVES
  const user = await otherUser(folder)
  const failures: string[] = []
  for (const runAs of [user, IN_USER_NAMESPACE]) {
    await handOver(folder, runAs.uid ?? 0, runAs.gid ?? 0)
    const failure = await whyNot(runAs, binaries, folder)
    if (failure === null) return runAs
    failures.push(`as ${runAs.name}: ${failure}`)
  }
  throw new Error(
    `PostgreSQL does not run as root, and no other way worked here (${failures.join('; ')}). Start Footfall as an ordinary user, ` +
      `move the checkout and the data folder where user ${user.name} can reach them, or set FOOTFALL_POSTGRES_URL to a PostgreSQL server.`,
  )
}

/** Tries what the server will do: load its program and libraries, enter the folder and write there. Null when that works. */
async function whyNot(runAs: RunAs, binaries: PostgresBinaries, folder: string): Promise<string | null> {
  const tryOut = '"$0" --version >&2 && cd "$1" && test -w .'
  const { file, args, ...options } = commandAs(runAs, binaries, '/bin/sh', ['-c', tryOut, binaries.postgres, folder])
  try {
    await run(file, args, options)
    return null
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return stderr?.trim().split('\n').at(-1) || message
  }
}

/** How to spawn a program so. Nothing of our environment reaches it but the path: PG* variables would change the server. */
export function commandAs(runAs: RunAs, binaries: PostgresBinaries, program: string, programArgs: readonly string[]) {
  const [file = program, ...args] = [...runAs.prefix, program, ...programArgs]
  const user = runAs.uid === undefined ? {} : { uid: runAs.uid, gid: runAs.gid }
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', ...RETURN_MEMORY, ...binaries.env }
  return { file, args, cwd: '/', env, ...user }
}

/** glibc keeps freed blocks for reuse, up to 32 MB each: a backend that once took a large parameter would stay that large. */
const RETURN_MEMORY = { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' }

async function otherUser(folder: string): Promise<RunAs> {
  const owner = await lstat(folder)
  if (owner.uid !== 0) return { name: `user ${owner.uid}`, prefix: [], uid: owner.uid, gid: owner.gid }
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(accounts) ?? []
  return { name: 'nobody', prefix: [], uid: Number(uid ?? 65534) >>> 0, gid: Number(gid ?? 65534) >>> 0 }
}

/** The server insists on owning its folder. Walks it only when the owner changes. */
async function handOver(folder: string, uid: number, gid: number): Promise<void> {
  if ((await lstat(folder)).uid === uid) return
  for (const entry of await readdir(folder, { recursive: true })) await lchown(path.join(folder, entry), uid, gid)
  // Last, so that an interrupted walk is done again.
  await chown(folder, uid, gid)
}
