/** How large a body may be: little before it is known who sends it, and what its endpoint takes afterwards. */
import { pipeline, Transform, type TransformCallback } from 'node:stream'
import type { FastifyRequest, RequestPayload } from 'fastify'
import { ApiError } from '../../http/errors.ts'

const KIB = 1024
/** A key may stand in the body, and people sign in with one: nothing that is longer. */
const OF_STRANGERS = 64 * KIB
/** Unless an endpoint takes more. */
const OF_CALLERS = 1024 * KIB
export const OF_LISTS = 20 * 1024 * KIB

export function limitedBody(
  request: FastifyRequest,
  payload: RequestPayload,
  { isKnown, most = OF_CALLERS }: { readonly isKnown: boolean; readonly most?: number | undefined },
): RequestPayload {
  const limit = isKnown ? most : Math.min(OF_STRANGERS, most)
  const announced = Number(request.headers['content-length'] ?? Number.NaN)
  if (announced > limit) throw tooLarge(limit, isKnown)
  if (request.headers['transfer-encoding'] === undefined) return payload
  return pipeline(payload, new Counted(limit, isKnown), () => {})
}

/** What comes without its length is counted on the way. */
class Counted extends Transform {
  #bytes = 0
  readonly #limit: number
  readonly #isKnown: boolean

  constructor(limit: number, isKnown: boolean) {
    super()
    this.#limit = limit
    this.#isKnown = isKnown
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limit) done(tooLarge(this.#limit, this.#isKnown))
    else done(null, chunk)
  }
}

/** Refusals of a body are decided before the handler runs, and say so by their status. */
const tooLarge = (limit: number, isKnown: boolean): Error =>
  Object.assign(
    new ApiError(
      'body_too_large',
      isKnown
        ? `The request body is larger than ${limit} bytes, which is the most this endpoint takes.`
        : `The request body is larger than ${limit} bytes, which is the most that is taken without credentials in the header.`,
    ),
    { statusCode: 413 },
  )
