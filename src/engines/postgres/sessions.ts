import type postgres from 'postgres'
import type { Session, Types } from './sql.ts'

type Client = postgres.Sql<Types>

/**
 * Connections for session state, such as an advisory lock: each a client of the library with one connection that is
 * closed when it is released. The library's own `reserve` loses a connection that it has to open first, when it does
 * not read the types: it is never returned, and the pool stays smaller by one.
 */
export class Sessions {
  readonly #open: () => Client
  readonly #held = new Set<Client>()

  constructor(open: () => Client) {
    this.#open = open
  }

  readonly reserve = async (): Promise<Session> => {
    const client = this.#open()
    this.#held.add(client)
    const release = () => {
      if (!this.#held.delete(client)) return
      // Not awaited; a connection that is already lost is closed as well.
      client.end({ timeout: 1 }).catch(() => {})
    }
    return Object.assign(client, { release })
  }

  async end(options: { timeout?: number }): Promise<void> {
    await Promise.all([...this.#held].map((client) => client.end(options)))
  }
}
