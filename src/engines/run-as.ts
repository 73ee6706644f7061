import { execFile } from 'node:child_process'
import { chown, lstat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { handOver } from './hand-over.ts'

const run = promisify(execFile)

/** How an engine is run, because none runs as root. */
export interface RunAs {
  readonly name: string
  /** Put before the program and its arguments. */
  readonly prefix: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

export const OURSELVES: RunAs = { name: 'this user', prefix: [] }

/**
 * A user namespace: root outside, and so the owner of all our files, however closed the folders above are; an ordinary
 * user inside. `unshare` execs the program (no process in between), so its pid and signals are the program's.
 */
export const IN_USER_NAMESPACE: RunAs = {
  name: 'a user namespace',
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
}

/** The files of an engine: a program that prints its version, and files that it reads. */
export interface EngineProgram {
  readonly name: string
  readonly program: string
  readonly reads: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Instead of an embedded one. */
  readonly elsewhere: string
}

/**
 * Chooses the user of an engine that works in `folder`, a folder of the data folder. If we are not root: our own. If we
 * are: the owner of the data folder, or, when that is root or cannot read the programs (a checkout under a closed
 * home), a user namespace. `folder` and its content get that owner.
 */
export async function chooseRunAs(engine: EngineProgram, folder: string): Promise<RunAs> {
  if (process.geteuid?.() !== 0) return OURSELVES
  const data = path.dirname(folder)
  const { uid, gid } = await lstat(data)
  const owner: RunAs = { name: `user ${uid}`, prefix: [], uid, gid }
  const failures: string[] = []
  for (const runAs of uid === 0 ? [IN_USER_NAMESPACE] : [owner, IN_USER_NAMESPACE]) {
    await handOver(folder, { uid: runAs.uid ?? 0, gid: runAs.gid ?? 0 })
    // Root in a namespace has no rights over other users' folders, so it must own those on the path.
    if (runAs.uid === undefined) await chown(data, 0, 0)
    const failure = await whyNot(runAs, engine, folder)
    if (failure === null) return runAs
    failures.push(`as ${runAs.name}: ${failure}`)
  }
  throw new Error(
    `${engine.name} does not run as root, and no other way worked here (${failures.join('; ')}). Start Footfall as an ordinary user, ` +
      `move the checkout and the data folder where other users can enter, or set ${engine.elsewhere}.`,
  )
}

/** Tries what an engine does: load its program, read its files, write to the folder. Null when that works. */
export async function whyNot(runAs: RunAs, engine: EngineProgram, folder: string): Promise<string | null> {
  // Node itself runs, but that user may not be able to read its file.
  const starts = engine.program === process.execPath ? 'test -x "$0"' : '"$0" --version >&2'
  const tryOut =
    `${starts} && ` +
    'cd "$1" && test -w . && shift && for f; do test -r "$f" || { echo "cannot read $f" >&2; exit 1; }; done'
  const { file, args, ...options } = commandAs(runAs, engine.env, '/bin/sh', [
    ...['-c', tryOut, engine.program, folder],
    ...engine.reads,
  ])
  try {
    await run(file, args, options)
    return null
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return stderr?.trim().split('\n').at(-1) || message
  }
}

/**
 * Options to spawn a program as that user. It gets only PATH from our environment: PG* variables would change the
 * server.
 */
export function commandAs(
  runAs: RunAs,
  env: Readonly<Record<string, string>>,
  program: string,
  programArgs: readonly string[],
) {
  const [file = program, ...args] = [...runAs.prefix, program, ...programArgs]
  const user = runAs.uid === undefined ? {} : { uid: runAs.uid, gid: runAs.gid }
  return { file, args, cwd: '/', env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', ...env }, ...user }
}
