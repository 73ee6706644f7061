import type { ChildProcess } from 'node:child_process'

/** The services of this process's tests that run now, and what each has written so far. */
export const runningServices = new Map<ChildProcess, () => string>()

/** A test that ran out of time may go on starting services after its file has ended: none of them outlives the process. */
process.once('exit', () => {
  for (const child of runningServices.keys()) child.kill('SIGTERM')
})
