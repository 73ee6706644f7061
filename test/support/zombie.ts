import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A killed program that still stands in the process table, because its parent does not ask how it ended. */
export interface Zombie {
  readonly pid: number
  bury(): void
}

/** Runs a module of source until it prints a line, and kills it then. */
export async function zombieOf(program: string, ...args: string[]): Promise<Zombie> {
  // The shell becomes `sleep`, which knows nothing of the child it has inherited.
  const script = '"$0" --input-type=module -e "$@" & echo $!; exec sleep 300'
  const parent = spawn('/bin/sh', ['-c', script, process.execPath, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]()
  const pid = Number((await lines.next()).value)
  await lines.next()
  process.kill(pid, 'SIGKILL')
  const state = () => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  for (let tries = 0; state() !== 'Z'; tries++) {
    if (tries > 1_000) throw new Error(`process ${pid} did not end`)
    await delay(5)
  }
  return { pid, bury: () => void parent.kill('SIGKILL') }
}
