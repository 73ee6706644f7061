import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../http/errors.ts'
import type { Records } from '../stages/records.ts'
import { toApiError } from '../stages/refusals.ts'
import { crossOriginHeaders } from './cors.ts'
import type { RefusalObserver } from './public-scope.ts'
import { queryOfUrl } from './query.ts'
import { ClientGone } from './read-body.ts'

/**
 * The door for events: answers on the bare request and response, because for one small event the framework's way of answering costs as
 * much as everything else that happens to it. Errors look like everywhere.
 */
export class Visit {
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly #server: { readonly listening: boolean }

  constructor(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    server: { readonly listening: boolean },
  ) {
    this.path = path
    this.request = request
    this.response = response
    this.#server = server
  }

  send(status: number, body: string, more: readonly string[] = []): void {
    // The server takes no new connections: whoever is here gets his answer and is shown out.
    if (!this.#server.listening) this.response.shouldKeepAlive = false
    this.response.writeHead(status, contentHeaders(body).concat(crossOriginHeaders(this.request), more)).end(body)
  }
}

const TYPE = ['content-type', 'application/json; charset=utf-8', 'content-length']

const contentHeaders = (body: string): string[] => (body === '' ? [] : TYPE.concat(String(Buffer.byteLength(body))))

export async function answerCapture(visit: Visit, stored: Promise<Records>, observer: RefusalObserver): Promise<void> {
  try {
    succeed(visit, await stored)
  } catch (error) {
    if (!(error instanceof ClientGone)) refuse(visit, error, observer)
  }
}

const OK = JSON.stringify({ status: 'Ok' })
/** The browser then keeps quiet about recordings for a minute. */
const QUOTA_LIMITED = JSON.stringify({ status: 'Ok', quota_limited: ['recordings'] })
const BEACON = /(?:^|&)beacon=1(?:&|$)/

function succeed(visit: Visit, { warnings }: Records): void {
  const query = queryOfUrl(visit.request.url)
  const limited = warnings.length > 0 && warnings.some(({ type }) => type === 'recording_quota_reached')
  if (query !== '' && BEACON.test(query)) visit.send(204, '')
  else visit.send(200, limited ? QUOTA_LIMITED : OK)
}

export function refuse(visit: Visit, error: unknown, observer: RefusalObserver): void {
  const { path, request, response } = visit
  const known = toApiError(error)
  if (!known) observer.onFailed?.({ path, error })
  const answer = known ?? new ApiError('error')
  observer.onRefused?.({ path, code: answer.code, status: answer.status })
  if (response.headersSent) return void response.destroy()
  const more = answer.retryAfterSeconds === undefined ? [] : ['retry-after', String(answer.retryAfterSeconds)]
  // The client is still sending what nobody will read: the answer is the last thing on this connection.
  if (!request.complete) more.push('connection', 'close')
  visit.send(answer.status, JSON.stringify(answer.body()), more)
}
