import { parentPort } from 'node:worker_threads'
import { crc32 } from '../../log/index.ts'
import { LIMITS } from '../limits.ts'
import { type Circumstances, open, takeIn } from '../parse-capture.ts'
import type { TakingIn } from '../projects/project-directory.ts'
import { toApiError } from '../stages/refusals.ts'
import type { Shaped } from '../stages/shape.ts'
import type { FromWorker, ToWorker } from './body-worker-protocol.ts'

/** The thread that takes in large bodies: the same stages as on the event loop. One request at a time. */
if (!parentPort) throw new Error('body-worker runs as a worker thread only')
const port = parentPort

let current: { said: Circumstances; shaped: Shaped } | null = null

port.on('message', (message: ToWorker) => {
  try {
    if (message.type === 'open') openBody(message.said, message.blocks)
    else if (message.project) finish(message.project)
    else current = null
  } catch (error) {
    current = null
    fail(error)
  }
})

function openBody(said: Circumstances, blocks: readonly Uint8Array[]): void {
  const shaped = open(Buffer.concat(blocks), said, LIMITS.decodedBytes)
  current = { said, shaped }
  say({ type: 'key', key: shaped.key })
}

function finish(project: TakingIn): void {
  if (!current) throw new Error('a project came without a body')
  const { said, shaped } = current
  current = null
  const records = takeIn(said, shaped, project)
  // Small buffers share a pool, and a pool cannot be given away.
  const entries = records.entries.map(({ partition, payload }) => ({
    partition,
    payload: new Uint8Array(payload),
    crc: crc32(payload),
  }))
  say(
    { type: 'done', records: { ...records, entries } },
    entries.map(({ payload }) => payload.buffer),
  )
}

function fail(error: unknown): void {
  const known = toApiError(error)
  if (!known) throw error
  say({ type: 'refused', code: known.code, detail: known.message, attr: known.attr })
}

function say(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}
