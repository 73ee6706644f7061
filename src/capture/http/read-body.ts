import type { IncomingMessage } from 'node:http'
import type { ApiError } from '../../http/errors.ts'
import { LIMITS } from '../limits.ts'
import { tooLarge } from '../stages/refusals.ts'
import type { BodyBudget, Holding } from './body-budget.ts'

/** The client closed the connection before its request was complete. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/**
 * A body that has been read. Small ones are in one block. Large ones stay in several, because joining 20 MB would block
 * the event loop noticeably; the worker thread joins them.
 */
export interface Body {
  readonly bytes: number
  readonly blocks: readonly Buffer[]
  /** Must be released when the request is answered. */
  readonly holding: Holding
}

/** The whole body as one buffer. */
export const whole = ({ blocks, bytes }: Pick<Body, 'blocks' | 'bytes'>): Buffer =>
  blocks.length === 1 ? (blocks[0] as Buffer) : Buffer.concat(blocks, bytes)

const BLOCK_BYTES = 1024 * 1024

/**
 * Reads a body of at most `limit` bytes. When it is larger, or memory for bodies is full, the rest is read and
 * discarded up to twice the limit before the error: a client that is still sending would see a broken connection
 * instead of the response.
 */
export function readBody(
  stream: IncomingMessage,
  limit: number,
  budget: BodyBudget,
  address: string | null,
): Promise<Body> {
  return new Promise((resolve, reject) => {
    let blocks: Buffer[] = []
    let chunks: Buffer[] = []
    let loose = 0
    let received = 0
    let refusal: ApiError | null = null
    // Listeners are never removed: removing them costs more than a small body does, and they go with the request.
    let settled = false

    const fail = (error: Error) => {
      settled = true
      blocks = []
      chunks = []
      holding.release()
      reject(error)
    }
    const holding = budget.open(address, fail)
    const discard = (error: ApiError) => {
      refusal = error
      blocks = []
      chunks = []
      holding.drop()
    }
    const gather = () => {
      blocks.push(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, loose))
      chunks = []
      loose = 0
    }
    const onData = (chunk: Buffer) => {
      if (settled) return
      received += chunk.length
      if (refusal === null) {
        const error = received > limit ? tooLarge(limit) : holding.take(chunk.length)
        if (error) discard(error)
      } else holding.moved()
      if (refusal === null) {
        loose += chunk.length
        chunks.push(chunk)
        if (loose >= BLOCK_BYTES) gather()
      } else if (received > limit * LIMITS.drainFactor) {
        fail(refusal)
      }
    }
    const onEnd = () => {
      if (settled) return
      if (refusal !== null) return fail(refusal)
      settled = true
      holding.complete()
      if (loose > 0 || blocks.length === 0) gather()
      resolve({ bytes: received, blocks, holding })
    }
    const onGone = () => {
      if (!settled) fail(new ClientGone('the client closed the connection'))
    }
    // A client that goes away closes the stream. Nothing listens for 'error', so it is not emitted.
    stream.on('data', onData).on('end', onEnd).on('close', onGone)
  })
}
