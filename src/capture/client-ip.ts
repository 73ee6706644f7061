import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The client's address: what the first proxy saw, else the other end of the socket. */
export function clientIp(request: IncomingMessage): string | null {
  const forwarded = request.headers['x-forwarded-for']
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',', 1)[0]
  const real = request.headers['x-real-ip']
  return (
    address(first) ?? address(Array.isArray(real) ? real[0] : real) ?? address(request.socket.remoteAddress) ?? null
  )
}

/** Addresses come again and again, and reading one costs three regular expressions. */
const READ = new Map<string, string>()
const MOST_READ = 10_000
const LONGEST_READ = 64

function address(text: string | undefined): string | undefined {
  if (!text) return undefined
  const known = READ.get(text)
  if (known !== undefined) return known
  const found = readAddress(text)
  if (found !== undefined && text.length <= LONGEST_READ) {
    if (READ.size >= MOST_READ) READ.clear()
    READ.set(text, found)
  }
  return found
}

/** Without port, brackets and the IPv6 clothing of IPv4 addresses; undefined when it is no address. */
function readAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(bare) ? bare : undefined
}
