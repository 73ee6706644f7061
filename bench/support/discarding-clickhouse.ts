import { once } from 'node:events'
import http from 'node:http'

/** Takes everything that is inserted and knows nothing: what runs in front of ClickHouse can be measured without it. */
export async function startDiscardingClickHouse(): Promise<{ readonly url: string; stop(): void }> {
  const server = http.createServer((request, response) => {
    let statement = new URL(request.url ?? '/', 'http://localhost').searchParams.get('query') ?? ''
    request.on('data', (chunk: Buffer) => {
      if (statement.length < 100_000) statement += chunk.toString('latin1')
    })
    request.on('end', () =>
      response.end(
        statement.includes('FORMAT JSONCompact') ? '{"meta":[{"name":"n","type":"UInt8"}],"data":[],"rows":0}' : '',
      ),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/bench`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
