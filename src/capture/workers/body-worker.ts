import { parentPort } from 'node:worker_threads'
import { crc32 } from '../../log/index.ts'
import { LIMITS } from '../limits.ts'
import { openCapture, parseCapture, type RequestMeta } from '../parse-capture.ts'
import type { CaptureSettings } from '../projects/project-directory.ts'
import { toApiError } from '../stages/refusals.ts'
import type { Shaped } from '../stages/shape.ts'
import type { FromWorker, ToWorker } from './body-worker-protocol.ts'

/** The program of a thread that parses large bodies: the same stages as on the event loop, one request at a time. */
if (!parentPort) throw new Error('body-worker runs as a worker thread only')
const port = parentPort

let current: { meta: RequestMeta; shaped: Shaped } | null = null

port.on('message', (message: ToWorker) => {
  try {
    if (message.type === 'open') openBody(message.meta, message.blocks)
    else if (message.project) finish(message.project)
    else current = null
  } catch (error) {
    current = null
    fail(error)
  }
})

function openBody(meta: RequestMeta, blocks: readonly Uint8Array[]): void {
  const shaped = openCapture(Buffer.concat(blocks), meta, LIMITS.decodedBytes)
  current = { meta, shaped }
  say({ type: 'key', key: shaped.key })
}

function finish(project: CaptureSettings): void {
  if (!current) throw new Error('a project came without a body')
  const { meta, shaped } = current
  current = null
  const records = parseCapture(meta, shaped, project)
  // Small buffers share a pool, and a pool cannot be transferred to another thread.
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
