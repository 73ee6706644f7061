import type postgres from 'postgres'
import { beginOver, Closings } from './begin.ts'
import { connectionLost } from './retryable.ts'
import type { Begin, Types } from './sql.ts'

/**
 * Transactions have connections of their own, each a client of the library with one connection. In a shared pool a
 * connection that is lost in a transaction stays half reserved: the connection that replaces it mixes transactions with
 * other statements, or never answers. Here a client is discarded when its connection closes for any reason.
 *
 *   free     open or not yet connected, not in use     -> in use, when a transaction begins -> gone, when its
 *                                                      connection closes (idle)
 *   in use   a transaction runs on it                   -> free, when that has ended         -> gone, when the
 *                                                                                            connection is lost
 */
type Client = postgres.Sql<Types>

interface Held {
  readonly client: Client
  readonly begin: Begin
  gone: boolean
}

export class TransactionClients {
  readonly #open: (onclose: (connection: number) => void) => Client
  readonly #most: number
  readonly #free: Held[] = []
  readonly #waiting: (() => void)[] = []
  #count = 0

  constructor(most: number, open: (onclose: (connection: number) => void) => Client) {
    this.#most = most
    this.#open = open
  }

  readonly begin: Begin = async (work, mode) => {
    const held = await this.#take()
    try {
      return await held.begin(work, mode)
    } catch (error) {
      if (connectionLost(error)) this.#discard(held)
      throw error
    } finally {
      this.#giveBack(held)
    }
  }

  async end(options: { timeout?: number }): Promise<void> {
    await Promise.all(this.#free.splice(0).map(({ client }) => client.end(options)))
  }

  async #take(): Promise<Held> {
    for (;;) {
      const free = this.#free.pop()
      if (free) return free
      if (this.#count < this.#most) return this.#make()
      await new Promise<void>((turn) => this.#waiting.push(turn))
    }
  }

  #make(): Held {
    this.#count += 1
    const closings = new Closings()
    const client = this.#open((connection) => {
      this.#discard(held)
      closings.closed(connection)
    })
    const held: Held = { client, begin: beginOver(client, closings), gone: false }
    return held
  }

  #giveBack(held: Held): void {
    if (!held.gone) this.#free.push(held)
    this.#waiting.shift()?.()
  }

  #discard(held: Held): void {
    if (held.gone) return
    held.gone = true
    this.#count -= 1
    const at = this.#free.indexOf(held)
    if (at >= 0) this.#free.splice(at, 1)
    this.#waiting.shift()?.()
  }
}
