import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * Stands between Footfall and an embedded ClickHouse, which then is a cluster of two shards to it (cluster-engine.ts). The library does
 * not run `ON CLUSTER` and cannot replicate, so statements lose both on the way. Both shards are this one engine and read one table:
 * a row policy shows each of them its own rows only, those that a Distributed table would have sent to it.
 */
export async function clusterProxy(socket: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(async (request, response) => {
    const forward = (headers: IncomingHttpHeaders, path = request.url) =>
      send({ socketPath: socket, method: request.method, path, headers })
    const answer = (sent: ReturnType<typeof send>) => {
      sent.on('error', () => response.destroy())
      sent.on('response', (from) => {
        response.writeHead(from.statusCode ?? 500, from.headers)
        from.pipe(response)
      })
      response.on('close', () => sent.destroy())
    }
    const inAddress = new URL(request.url ?? '/', 'http://engine').searchParams.has('query')
    if (request.method !== 'POST' || inAddress) {
      const sent = forward(request.headers)
      answer(sent)
      request.pipe(sent)
      return
    }
    // Byte by byte: a form may hold anything besides the statement.
    const { statement, before } = onOneEngine((await buffer(request)).toString('latin1'))
    const { 'transfer-encoding': _, ...headers } = request.headers
    for (const first of before) await ask(forward({ ...headers, 'content-length': String(Buffer.byteLength(first)) }), first)
    const body = Buffer.from(statement, 'latin1')
    const sent = forward({ ...headers, 'content-length': String(body.length) })
    answer(sent)
    sent.end(body)
  })
  server.unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

async function ask(sent: ReturnType<typeof send>, statement: string): Promise<void> {
  sent.end(statement)
  const [answer] = await once(sent, 'response')
  const text = (await buffer(answer)).toString()
  if (answer.statusCode !== 200) throw new Error(`${statement}: ${text}`)
}

const DISTRIBUTED = /ENGINE = Distributed\('\w+', '(\w+)', '(\w+)', (.+)\)\s*$/
const REPLICATED = /ENGINE = Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?([^)]*)\)/

/** The statement as one engine runs it, and what it has to run before. */
export function onOneEngine(statement: string): { readonly statement: string; readonly before: readonly string[] } {
  if (!statement.includes('ON CLUSTER')) return { statement, before: [] }
  const [, database, table, key] = DISTRIBUTED.exec(statement) ?? []
  const policy = `CREATE ROW POLICY IF NOT EXISTS its_shard ON ${database}.${table}
    USING shardCount() = 0 OR ${key} % shardCount() = shardNum() - 1 TO ALL`
  return {
    statement: statement.replace(/ ON CLUSTER '[^']*'/, '').replace(REPLICATED, 'ENGINE = $1($2)'),
    before: key === undefined ? [] : [policy],
  }
}
