import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Records } from '../stages/records.ts'
import { toApiError } from '../stages/refusals.ts'
import { readV1Headers, type V1Headers } from './headers.ts'

/** Answers a v1 request: results by uuid, or an error in the form that its clients read. */
export async function answerV1(
  request: FastifyRequest,
  reply: FastifyReply,
  store: (headers: V1Headers) => Promise<Records>,
): Promise<FastifyReply> {
  const requestId = request.headers['posthog-request-id']
  if (typeof requestId === 'string') reply.header('posthog-request-id', requestId)
  try {
    const { results } = await store(readV1Headers(request.headers, sentContentType(request)))
    return reply.code(200).send({ results })
  } catch (error) {
    const known = toApiError(error)
    if (!known) throw error
    request.raw.resume()
    reply.headers(known.headers())
    if (known.status >= 500) reply.header('retry-after', '1')
    if (!request.raw.complete) reply.header('connection', 'close')
    return reply
      .code(known.status)
      .send({ error: known.code, error_description: known.message, error_uri: 'docs/ERRORS.md' })
  }
}

/** `publicScope` removes the content type for Fastify; here it is needed. */
function sentContentType({ raw: { rawHeaders } }: FastifyRequest): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type')
  return at < 0 ? undefined : rawHeaders[at + 1]
}
