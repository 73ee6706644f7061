import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onOneEngine } from './one-engine.ts'

/**
 * Stands between Footfall and an embedded ClickHouse, which then is a cluster of two shards to it (cluster-engine.ts): statements are
 * rewritten for the one engine (one-engine.ts). An address may have 1 MiB, as a server has it (`http_max_uri_size`).
 */
export async function clusterProxy(socket: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, async (request, response) => {
    const address = new URL(request.url ?? '/', 'http://engine')
    const forward = (headers: IncomingHttpHeaders) =>
      send({ socketPath: socket, method: request.method, path: `${address.pathname}${address.search}`, headers })
    const answer = (sent: ReturnType<typeof send>) => {
      sent.on('error', () => response.destroy())
      sent.on('response', (from) => {
        response.writeHead(from.statusCode ?? 500, from.headers)
        from.pipe(response)
      })
      response.on('close', () => sent.destroy())
    }
    const query = address.searchParams.get('query')
    if (query !== null) address.searchParams.set('query', onOneEngine(query)[0] ?? query)
    if (request.method !== 'POST' || query !== null) {
      const sent = forward(request.headers)
      answer(sent)
      request.pipe(sent)
      return
    }
    // Byte by byte: a form may hold anything besides the statement.
    const statements = onOneEngine((await buffer(request)).toString('latin1'))
    const { 'transfer-encoding': _, ...headers } = request.headers
    for (const [index, statement] of statements.entries()) {
      const body = Buffer.from(statement, 'latin1')
      const sent = forward({ ...headers, 'content-length': String(body.length) })
      const isLast = index === statements.length - 1
      if (isLast) answer(sent)
      sent.end(body)
      if (!isLast && !(await succeeds(sent))) return void response.writeHead(500).end(`failed: ${statement}`)
    }
  })
  server.unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

async function succeeds(sent: ReturnType<typeof send>): Promise<boolean> {
  const [answer] = await once(sent, 'response')
  await buffer(answer)
  return answer.statusCode === 200
}
