import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientAddresses, networkOf } from './client-address.ts'
import { ApiError } from './errors.ts'

/**
 * Connections that one address may keep open: far more than a browser or a proxy uses, far fewer than the limit of open
 * files.
 */
const MOST_CONNECTIONS = 1_000

interface SharesOptions {
  readonly most?: number | undefined
  /** With the network that has too many. */
  onRefused?(network: string): void
}

/**
 * Limits the connections of one address, so that no client takes all of them; further ones are answered 503 and closed.
 * Trusted proxies have many clients and no limit; neither has a Unix socket.
 */
export function shareConnections(
  server: Server,
  addresses: ClientAddresses,
  { most = MOST_CONNECTIONS, onRefused }: SharesOptions = {},
): void {
  const open = new Map<string, number>()
  server.prependListener('connection', (socket: Socket) => {
    const peer = addresses.peerOf(socket)
    if (peer === null || addresses.trusts(peer)) return
    const who = networkOf(peer)
    const count = (open.get(who) ?? 0) + 1
    open.set(who, count)
    socket.once('close', () => {
      const left = (open.get(who) ?? 1) - 1
      if (left === 0) open.delete(who)
      else open.set(who, left)
    })
    if (count <= most) return
    onRefused?.(who)
    socket.end(REFUSAL, () => socket.destroy())
  })
}

const BODY = JSON.stringify(
  new ApiError('overloaded', 'Your address has too many connections open: close some, or wait.').body(),
)
const REFUSAL = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: application/json; charset=utf-8',
  `content-length: ${Buffer.byteLength(BODY)}`,
  'retry-after: 5',
  'connection: close',
  '',
  BODY,
].join('\r\n')
