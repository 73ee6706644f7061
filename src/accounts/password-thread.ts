import { scryptSync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { yieldBy } from '../lib/priority.ts'
import type { HashAnswer, HashRequest } from './password-hashing.ts'

/** Hashes one password at a time, on this thread and not in libuv's pool, which writes the log. */
yieldBy(3)
parentPort?.on('message', ({ id, password, salt }: HashRequest) => {
  const answer: HashAnswer = { id, hash: scryptSync(password, salt, 32) }
  parentPort?.postMessage(answer)
})
