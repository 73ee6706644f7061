import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../http/errors.ts'
import type { Records } from '../stages/records.ts'
import { toApiError } from '../stages/refusals.ts'
import { crossOriginHeaders } from './cors.ts'
import type { RefusalObserver } from './public-scope.ts'
import { queryOfUrl } from './query.ts'
import { ClientGone } from './read-body.ts'

/**
 * One request to a capture path. It is answered on Node's own response: for one small event the framework's reply would
 * cost as much as the rest of the work. Errors have the same form as everywhere else.
 */
export class CaptureRequest {
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
    // The server is stopping and takes no new connections: close this one after the response.
    if (!this.#server.listening) this.response.shouldKeepAlive = false
    this.response.writeHead(status, contentHeaders(body).concat(crossOriginHeaders(this.request), more)).end(body)
  }

  /** Text of ASCII characters alone: its length is that of its bytes, and it need not be encoded. */
  sendAscii(body: string): void {
    if (!this.#server.listening) this.response.shouldKeepAlive = false
    const headers = TYPE.concat(String(body.length)).concat(crossOriginHeaders(this.request))
    this.response.writeHead(200, headers).end(body, 'latin1')
  }
}

const TYPE = ['content-type', 'application/json; charset=utf-8', 'content-length']

const contentHeaders = (body: string): string[] => (body === '' ? [] : TYPE.concat(String(Buffer.byteLength(body))))

export async function respond(
  capture: CaptureRequest,
  stored: Promise<Records>,
  observer: RefusalObserver,
): Promise<void> {
  try {
    respondOk(capture, await stored)
  } catch (error) {
    if (!(error instanceof ClientGone)) respondWithError(capture, error, observer)
  }
}

/** The same for answers that are text already, of ASCII characters alone. */
export async function respondWith(
  capture: CaptureRequest,
  answered: Promise<string>,
  observer: RefusalObserver,
): Promise<void> {
  try {
    capture.sendAscii(await answered)
  } catch (error) {
    if (!(error instanceof ClientGone)) respondWithError(capture, error, observer)
  }
}

const OK = JSON.stringify({ status: 'Ok' })
/** The browser SDK then sends no recordings for a minute. */
const QUOTA_LIMITED = JSON.stringify({ status: 'Ok', quota_limited: ['recordings'] })
const BEACON = /(?:^|&)beacon=1(?:&|$)/

function respondOk(capture: CaptureRequest, { warnings }: Records): void {
  const query = queryOfUrl(capture.request.url)
  const limited = warnings.length > 0 && warnings.some(({ type }) => type === 'recording_quota_reached')
  if (query !== '' && BEACON.test(query)) capture.send(204, '')
  else capture.send(200, limited ? QUOTA_LIMITED : OK)
}

export function respondWithError(capture: CaptureRequest, error: unknown, observer: RefusalObserver): void {
  const { path, request, response } = capture
  const known = toApiError(error)
  if (!known) observer.onFailed?.({ path, error })
  const answer = known ?? new ApiError('error')
  observer.onRefused?.({ path, code: answer.code, status: answer.status })
  if (response.headersSent) return void response.destroy()
  const more = Object.entries(answer.headers()).flat()
  // The client is still sending a body that will not be read: close the connection after the response.
  if (!request.complete) more.push('connection', 'close')
  capture.send(answer.status, JSON.stringify(answer.body()), more)
}
