import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Connections to the embedded engine: it listens on a Unix socket, whatever the address of a request says. */
export class SocketAgent extends Agent {
  readonly #path: string

  constructor(path: string, maxSockets: number) {
    super({ keepAlive: true, maxSockets })
    this.#path = path
  }

  override createConnection(): Socket {
    return connect({ path: this.#path })
  }
}
