import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../http/errors.ts'
import { entryPoint } from '../lib/entry-point.ts'
import { FairQueue } from '../lib/fair-queue.ts'

/**
 * Passwords are hashed one after another on a thread of their own. Node's asynchronous scrypt shares libuv's four
 * threads with all file access, so that a hundred sign-ins at once would keep events from being stored.
 *
 * Each address has a queue, and the addresses take turns: many sign-ins from one address delay only that address. When
 * the queue is full a request is refused with 429 before anything is hashed.
 */
export interface HashRequest {
  readonly id: number
  readonly password: string
  readonly salt: Uint8Array
}

export interface HashAnswer {
  readonly id: number
  readonly hash: Uint8Array
}

interface Job extends HashRequest {
  resolve(hash: Buffer): void
  reject(error: Error): void
}

/** For passwords that no client sent: provisioning, and the comparison for an unknown e-mail. */
const OURS = 'service'

const queue = new FairQueue<Job>({ most: 200, mostOfOne: 60 })
let thread: Worker | null = null
let current: Job | null = null
let jobs = 0

function derive(password: string, salt: Uint8Array, from: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const job = { id: ++jobs, password, salt, resolve, reject }
    if (!queue.push({ owner: from }, job))
      return reject(
        new ApiError('throttled', 'Too many sign-ins at once. Try again in a few seconds.', { retryAfterSeconds: 5 }),
      )
    next()
  })
}

function next(): void {
  if (current !== null) return
  const job = queue.shift()
  if (job === undefined) return void thread?.unref()
  current = job
  thread ??= start()
  thread.ref()
  const { id, password, salt } = job
  thread.postMessage({ id, password, salt } satisfies HashRequest)
}

function start(): Worker {
  const worker = new Worker(entryPoint(import.meta.url, './password-thread.ts'))
  let cause: Error | null = null
  worker.on('message', ({ id, hash }: HashAnswer) => {
    if (current?.id !== id) return
    current.resolve(Buffer.from(hash))
    current = null
    next()
  })
  worker.on('error', (error) => {
    cause = error
  })
  // A new thread takes the next job.
  worker.on('exit', () => {
    thread = null
    current?.reject(cause ?? new ApiError('unavailable', undefined, { retryAfterSeconds: 5 }))
    current = null
    next()
  })
  return worker
}

export async function hashPassword(password: string, from = OURS): Promise<string> {
  const salt = randomBytes(16)
  return `scrypt$${salt.toString('hex')}$${(await derive(password, salt, from)).toString('hex')}`
}

export async function passwordMatches(password: string, stored: string, from = OURS): Promise<boolean> {
  const [, salt = '', hash = ''] = stored.split('$')
  return timingSafeEqual(Buffer.from(hash, 'hex'), await derive(password, Buffer.from(salt, 'hex'), from))
}
