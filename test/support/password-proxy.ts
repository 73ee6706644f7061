import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

interface Credentials {
  readonly username: string
  readonly password: string
}

const basic = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/**
 * An embedded ClickHouse behind a password that stays, as that of a server does: the engine itself has another one after each start, and
 * who was given an address could not come in any more once it was restarted. Other credentials are passed on, and the engine refuses them.
 */
export async function passwordProxy(
  socketPath: string,
  lasting: Credentials,
  current: () => Credentials,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(
    { maxHeaderSize: 4 * 1024 * 1024, keepAliveTimeout: 60_000, requestTimeout: 0 },
    (request, response) => {
      const { method, url: path, headers } = request
      const isKnown = headers.authorization === basic(lasting)
      const engine = send({
        socketPath,
        agent: false,
        method,
        path,
        headers: isKnown ? { ...headers, authorization: basic(current()) } : headers,
      })
      engine.on('error', () => response.destroy())
      engine.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        pipeline(answer, response, () => {})
      })
      response.on('close', () => engine.destroy())
      request.pipe(engine)
    },
  )
  server.unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
