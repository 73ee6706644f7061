import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Answers the request, or says false and leaves it as it is. */
type Doorkeeper = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Puts somebody before the framework: a request that the doorkeeper takes never reaches router, hooks and replies, which for a small
 * request cost more than its work. Once the server is closing every request goes to the framework, which refuses it.
 */
export function inFront(app: FastifyInstance, take: Doorkeeper): void {
  const { server } = app
  const others = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    done()
  })
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (!closing && take(request, response)) return
    for (const other of others) other.call(server, request, response)
  })
}
