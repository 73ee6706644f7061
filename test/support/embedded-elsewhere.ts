import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { EmbeddedPostgres } from '../../src/engines/postgres/index.ts'
import { testProgram } from './test-program.ts'

/** A Footfall of its own that only runs the embedded server: it holds the data lock, says what it started, and ends on SIGTERM. */
interface ElsewherePostgres {
  readonly process: ChildProcess
  readonly pid: number
  readonly serverPid: number
  readonly connection: EmbeddedPostgres['connection']
}

const PROGRAM = `
  const { acquireDataLock, createLogger, startEmbeddedPostgres } = await import(${JSON.stringify(testProgram('library'))})
  const dataDir = process.argv[1]
  await acquireDataLock(dataDir)
  const embedded = await startEmbeddedPostgres({ dataDir, log: createLogger('warn') })
  process.on('SIGTERM', () => embedded.stop().then(() => process.exit(0)))
  setInterval(() => {}, 60_000)
  console.log(JSON.stringify({ pid: process.pid, serverPid: embedded.pid, connection: embedded.connection }))
`

/** `runAs` spawns a program under another user; by default it is ours. */
export async function startElsewhere(
  dataDir: string,
  runAs: (program: string, args: string[]) => { file: string; args: string[]; uid?: number; gid?: number } = (
    file,
    args,
  ) => ({ file, args }),
): Promise<ElsewherePostgres> {
  const { file, args, ...options } = runAs(process.execPath, ['--input-type=module', '-e', PROGRAM, dataDir])
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = once(child, 'exit').then(() => {
    throw new Error('the other process ended before its server was ready')
  })
  const said = once(createInterface(child.stdout), 'line').then(([line]) => line as string)
  gone.catch(() => {})
  return { process: child, ...JSON.parse(await Promise.race([said, gone])) }
}

export async function killed(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
