import type { NodeConnectionOptions } from '@nats-io/transport-node'

/**
 * The address of NATS: one server, or several of one cluster separated by commas. The client learns of the others from
 * any one.
 */
interface NatsAddress {
  readonly options: NodeConnectionOptions
  /** How many servers keep each record; null: three of a cluster, one of a single server. */
  readonly replicas: number | null
}

const PROTOCOLS = ['nats:', 'tls:']
const REPLICAS = ['1', '3', '5']

export const isNatsAddress = (text: string): boolean =>
  text.split(',').every((one) => {
    const address = one.trim()
    if (!URL.canParse(address) || !PROTOCOLS.includes(new URL(address).protocol)) return false
    const replicas = new URL(address).searchParams.get('replicas')
    return new URL(address).hostname !== '' && (replicas === null || REPLICAS.includes(replicas))
  })

export function readNatsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((one) => new URL(one.trim()))
  const [first] = urls as [URL]
  const [user, pass] = [decodeURIComponent(first.username), decodeURIComponent(first.password)]
  const replicas = urls.map((url) => url.searchParams.get('replicas')).find((given) => given !== null)
  return {
    options: {
      servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
      ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
      // NATS' convention: a user name without a password is a token.
      ...(pass ? { user, pass } : user ? { token: user } : {}),
    },
    replicas: replicas === undefined ? null : Number(replicas),
  }
}
