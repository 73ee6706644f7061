import type postgres from 'postgres'
import type { Session, Types } from './sql.ts'

type Client = postgres.Sql<Types>

/**
 * Connections for what lives in a session, such as an advisory lock: each a client of the library with one connection that is closed
 * when it is released. The library's own way of reserving a connection forgets one that it has to open first, when it need not ask for
 * types: nobody ever gets it, and the pool is smaller by one for good.
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
      // Nobody waits for it, and a connection that is lost already is closed as well.
      client.end({ timeout: 1 }).catch(() => {})
    }
    return Object.assign(client, { release })
  }

  async end(options: { timeout?: number }): Promise<void> {
    await Promise.all([...this.#held].map((client) => client.end(options)))
  }
}
