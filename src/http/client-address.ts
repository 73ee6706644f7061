import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, type Socket } from 'node:net'

/**
 * The address of a client: the other end of the socket, or, when that is a trusted proxy, the last address in
 * X-Forwarded-For that is not a trusted proxy. Without the setting no proxy is trusted, because any client could send
 * the header and claim a new address with each request.
 */
export class ClientAddresses {
  readonly #trusted: TrustedNetworks
  readonly #onUntrusted: ((peer: string) => void) | undefined
  #untrustedPeer: string | null = null

  /**
   * `onUntrusted` is called once, for the first X-Forwarded-For that is ignored: there may be a proxy that is not
   * configured.
   */
  constructor(networks: readonly string[] = [], onUntrusted?: (peer: string) => void) {
    this.#trusted = new TrustedNetworks(networks)
    this.#onUntrusted = onUntrusted
  }

  /** The first peer whose X-Forwarded-For was ignored; null while there is none. */
  get untrustedPeer(): string | null {
    return this.#untrustedPeer
  }

  readonly trusts = (address: string): boolean => this.#trusted.has(bareAddress(address) ?? '')

  /** The other end of a connection; null on a Unix socket. */
  peerOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | null {
    return bareAddress(remoteAddress) ?? null
  }

  /** Null on a Unix socket. */
  readonly of = (request: IncomingMessage): string | null => {
    const peer = this.peerOf(request.socket)
    if (peer === null) return null
    const forwarded = headerOf(request, 'x-forwarded-for')
    if (forwarded === undefined && request.headers['x-real-ip'] === undefined) return peer
    if (!this.#trusted.has(peer)) {
      this.#noteUntrusted(peer)
      return peer
    }
    if (forwarded === undefined) return bareAddress(headerOf(request, 'x-real-ip')) ?? peer
    return this.#behind(peer, forwarded)
  }

  /**
   * Each proxy appends its peer, so the list is read backwards, up to the first address that is not trusted or not
   * valid.
   */
  #behind(peer: string, forwarded: string): string {
    let client = peer
    const hops = forwarded.split(',')
    for (let at = hops.length - 1; at >= 0; at--) {
      const hop = bareAddress(hops[at])
      if (hop === undefined) return client
      client = hop
      if (!this.#trusted.has(hop)) return client
    }
    return client
  }

  #noteUntrusted(peer: string): void {
    if (this.#untrustedPeer !== null) return
    this.#untrustedPeer = peer
    this.#onUntrusted?.(peer)
  }
}

/** A set of addresses and networks (10.0.0.0/8, fd00::/8). */
class TrustedNetworks {
  readonly #list = new BlockList()
  readonly #empty: boolean
  /** The same few proxies are looked up with every request. */
  readonly #known = new Map<string, boolean>()

  constructor(networks: readonly string[]) {
    this.#empty = networks.length === 0
    for (const network of networks) {
      const { address, prefix } = readNetwork(network)
      this.#list.addSubnet(address, prefix, familyOf(address))
    }
  }

  has(address: string): boolean {
    if (this.#empty || address === '') return false
    const known = this.#known.get(address)
    if (known !== undefined) return known
    const found = this.#list.check(address, familyOf(address))
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(address, found)
    return found
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** Throws a RangeError with examples when the text is neither. */
function readNetwork(text: string): { address: string; prefix: number } {
  const [address = '', prefix, ...more] = text.trim().split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (isIP(address) === 0 || more.length > 0 || length < 0 || length > bits)
    throw new RangeError(`"${text}" is no address or network: write 10.0.0.7, 10.0.0.0/8, ::1 or fd00::/8`)
  return { address, prefix: length }
}

/** The error in a list of addresses and networks, or null. */
export function faultyNetwork(networks: readonly string[]): string | null {
  for (const network of networks)
    try {
      readNetwork(network)
    } catch (error) {
      return (error as Error).message
    }
  return null
}

const MOST_KNOWN = 10_000
const LONGEST_KNOWN = 64
const READ = new Map<string, string>()

/** Without port, brackets, zone and the IPv6 form of IPv4 addresses; undefined when it is no address. */
function bareAddress(text: string | undefined): string | undefined {
  if (!text) return undefined
  const known = READ.get(text)
  if (known !== undefined) return known
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
  if (isIP(bare) === 0) return undefined
  if (text.length <= LONGEST_KNOWN) {
    if (READ.size >= MOST_KNOWN) READ.clear()
    READ.set(text, bare)
  }
  return bare
}

function headerOf({ headers }: IncomingMessage, name: 'x-forwarded-for' | 'x-real-ip'): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

/** The unit that limits count: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [start = '', end] = address.split('::')
  const first = start === '' ? [] : start.split(':')
  const last = end === undefined || end === '' ? [] : end.split(':')
  const missing = end === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array<string>(Math.max(0, missing)).fill('0'), ...last]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
