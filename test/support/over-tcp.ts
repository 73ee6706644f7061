import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import type { EmbeddedClickHouse } from '../../src/engines/clickhouse/index.ts'

/** An embedded engine as servers are reached: by address and password, which is another after each start of the engine. */
export interface OverTcp {
  readonly url: string
  readonly username: string
  readonly password: string
  /** With the credentials, as FOOTFALL_CLICKHOUSE_URL has them. */
  address(database: string): string
  close(): Promise<void>
}

export async function overTcp({ socket, username, secretFile }: EmbeddedClickHouse): Promise<OverTcp> {
  const server = createServer((client) => {
    const engine = connect(socket)
    pipeline(client, engine, () => {})
    pipeline(engine, client, () => {})
  })
  server.unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const secret = () => readFileSync(secretFile, 'utf8')
  return {
    url: `http://127.0.0.1:${port}`,
    username,
    get password() {
      return secret()
    },
    address: (database) => `http://${username}:${secret()}@127.0.0.1:${port}/${database}`,
    close: async () => void server.close(),
  }
}
