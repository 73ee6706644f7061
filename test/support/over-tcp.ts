import { readFileSync } from 'node:fs'
import type { EmbeddedClickHouse } from '../../src/engines/clickhouse/index.ts'
import { tcpProxy } from './tcp-proxy.ts'

/** An embedded engine as servers are reached: by address and password, which is another after each start of the engine. */
export interface OverTcp {
  readonly url: string
  readonly username: string
  readonly password: string
  /** With the credentials, as FOOTFALL_CLICKHOUSE_URL has them. */
  address(database: string): string
  close(): void
}

export async function overTcp({ socket, username, secretFile }: EmbeddedClickHouse): Promise<OverTcp> {
  const { port, close } = await tcpProxy(socket)
  const secret = () => readFileSync(secretFile, 'utf8')
  return {
    url: `http://127.0.0.1:${port}`,
    username,
    get password() {
      return secret()
    },
    address: (database) => `http://${username}:${secret()}@127.0.0.1:${port}/${database}`,
    close,
  }
}
