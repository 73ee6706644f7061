import { afterEach } from 'vitest'
import { runningServices } from './running-services.ts'

const MOST = 4_000

/** A test that failed says what its services wrote: the reason is often there (an engine that ended, a disk that is full). */
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const [{ pid }, output] of runningServices)
    console.log(`"${task.name}" failed. The service ${pid} wrote:\n${output().slice(-MOST)}`)
})
