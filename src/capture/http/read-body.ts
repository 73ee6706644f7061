import type { IncomingMessage } from 'node:http'
import type { ApiError } from '../../http/errors.ts'
import { LIMITS } from '../limits.ts'
import { tooLarge } from '../stages/refusals.ts'
import type { BodyBudget, Holding } from './body-budget.ts'

/** The client went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/**
 * A body as it was read: small ones in one piece. Large ones stay in blocks, because putting 20 MB together takes so long that others
 * notice; the thread that takes them in does it.
 */
export interface Body {
  readonly bytes: number
  readonly blocks: readonly Buffer[]
  /** To be released when the request is answered. */
  readonly holding: Holding
}

/** All of it in one piece. */
export const whole = ({ blocks, bytes }: Pick<Body, 'blocks' | 'bytes'>): Buffer =>
  blocks.length === 1 ? (blocks[0] as Buffer) : Buffer.concat(blocks, bytes)

const BLOCK_BYTES = 1024 * 1024

/**
 * Reads a body of at most `limit` bytes. A larger one (or one that there is no room for) is read on and thrown away up to twice the
 * limit before the error: a client that is still sending would see a broken connection instead of the answer.
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
    // Listeners stay where they are and die with the request: taking them off costs more than a small body does.
    let settled = false

    const fail = (error: Error) => {
      settled = true
      blocks = []
      chunks = []
      holding.release()
      reject(error)
    }
    const holding = budget.open(address, fail)
    const refuse = (error: ApiError) => {
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
        if (error) refuse(error)
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
    // Whoever goes away closes the stream; an error is told only to those who listen for one.
    stream.on('data', onData).on('end', onEnd).on('close', onGone)
  })
}
