import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The address a request came from, as far as proxies are believed; on a Unix socket all come from here. */
export const addressOf = (request: Pick<FastifyRequest, 'clientAddress'>): string => request.clientAddress ?? 'local'

/** Whoever has one IPv6 address mostly has 2^64 of them, so they count as one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}
