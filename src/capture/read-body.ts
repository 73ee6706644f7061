import type { IncomingMessage } from 'node:http'
import { ApiError } from '../http/errors.ts'
import { LIMITS } from './limits.ts'

/** How many bytes of bodies all requests together hold in memory. A request gives its share back when it is answered. */
export class BodyBudget {
  #held = 0
  readonly #limit: number

  constructor(limit: number = LIMITS.heldBytes) {
    this.#limit = limit
  }

  get held(): number {
    return this.#held
  }

  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
  }
}

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
}

/** All of it in one piece. */
export const whole = ({ blocks, bytes }: Body): Buffer =>
  blocks.length === 1 ? (blocks[0] as Buffer) : Buffer.concat(blocks, bytes)

const BLOCK_BYTES = 1024 * 1024

/**
 * Reads a body of at most `limit` bytes. A larger one (or one that there is no room for) is read on and thrown away up to twice the
 * limit before the error: a client that is still sending would see a broken connection instead of the answer.
 */
export function readBody(stream: IncomingMessage, limit: number, budget: BodyBudget): Promise<Body> {
  return new Promise((resolve, reject) => {
    let blocks: Buffer[] = []
    let chunks: Buffer[] = []
    let loose = 0
    let received = 0
    let held = 0
    let refusal: ApiError | null = null
    // Listeners stay where they are and die with the request: taking them off costs more than a small body does.
    let settled = false

    const refuse = (error: ApiError) => {
      refusal = error
      blocks = []
      chunks = []
      budget.giveBack(held)
      held = 0
    }
    const gather = () => {
      blocks.push(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, loose))
      chunks = []
      loose = 0
    }
    const onData = (chunk: Buffer) => {
      if (settled) return
      received += chunk.length
      if (refusal === null && received > limit) refuse(tooLarge(limit))
      if (refusal === null && !budget.take(chunk.length))
        refuse(new ApiError('overloaded', undefined, { retryAfterSeconds: 5 }))
      if (refusal === null) {
        held += chunk.length
        loose += chunk.length
        chunks.push(chunk)
        if (loose >= BLOCK_BYTES) gather()
      } else if (received > limit * LIMITS.drainFactor) {
        settled = true
        reject(refusal)
      }
    }
    const onEnd = () => {
      if (settled) return
      settled = true
      if (refusal !== null) return reject(refusal)
      if (loose > 0 || blocks.length === 0) gather()
      resolve({ bytes: received, blocks })
    }
    const onGone = () => {
      if (settled) return
      settled = true
      budget.giveBack(held)
      reject(new ClientGone('the client closed the connection'))
    }
    // Whoever goes away closes the stream; an error is told only to those who listen for one.
    stream.on('data', onData).on('end', onEnd).on('close', onGone)
  })
}

export const tooLarge = (limit: number): ApiError =>
  new ApiError(
    'body_too_large',
    `The request body is larger than ${Math.round(limit / 1024 / 1024)} MiB: send it in several requests.`,
  )
