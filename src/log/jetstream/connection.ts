import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Logger } from '../../lib/logger.ts'
import { readNatsAddress } from './address.ts'

/**
 * A connection that reconnects by itself, for as long as it takes.
 *
 *   here    -> away    the connection to the server was lost
 *   away    -> here    this server, or another one of its cluster, accepted us again: `onReturn` is called
 */
export interface Nats {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly client: JetStreamClient
  /** Since when the connection is lost, or null. */
  readonly awaySince: number | null
  onReturn(told: () => void): void
  close(): Promise<void>
}

const REQUEST_MS = 2_000
const AGAIN_MS = 200
const FIRST_CONNECTION_MS = 15_000

export async function connectNats(
  address: string,
  name: string,
  log: Logger | undefined,
  within: number = FIRST_CONNECTION_MS,
): Promise<Nats> {
  const connection = await firstConnection(address, name, within)
  // Whether JetStream is enabled shows at the first real request.
  const manager = await jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false })
  const listeners: (() => void)[] = []
  const nats = {
    connection,
    manager,
    client: jetstream(connection, { timeout: REQUEST_MS }),
    awaySince: null as number | null,
    onReturn: (told: () => void) => listeners.push(told),
    close: () => connection.close(),
  }
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        nats.awaySince ??= Date.now()
        log?.warn({ server: connection.getServer() }, 'NATS went away')
      } else if (type === 'reconnect') {
        nats.awaySince = null
        log?.info({ server: connection.getServer() }, 'NATS is back')
        for (const told of listeners) told()
      }
    }
  })()
  return nats
}

/**
 * The servers of a cluster and this process start in any order, so the first connection is retried, but not for ever.
 */
async function firstConnection(address: string, name: string, within: number): Promise<NatsConnection> {
  const { options } = readNatsAddress(address)
  const end = Date.now() + within
  for (;;) {
    try {
      return await connect({
        ...options,
        name,
        timeout: REQUEST_MS,
        maxReconnectAttempts: -1,
        // Otherwise two authentication errors in a row, as of a server that is still starting, close it for good.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: AGAIN_MS,
        reconnectJitter: AGAIN_MS,
        pingInterval: 5_000,
        maxPingOut: 2,
      })
    } catch (error) {
      if (Date.now() > end) throw new Error(`NATS does not answer: ${(error as Error).message}`, { cause: error })
      await new Promise((again) => setTimeout(again, AGAIN_MS))
    }
  }
}
