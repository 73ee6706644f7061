import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'

/** An embedded engine as servers are reached: on a port. Other users than the engine's get no further than to its socket's folder. */
export async function tcpProxy(socket: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((client) => {
    const engine = connect(socket)
    pipeline(client, engine, () => {})
    pipeline(engine, client, () => {})
  })
  server.unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
