import { readFileSync } from 'node:fs'
import type { EmbeddedClickHouse } from '../../src/engines/clickhouse/index.ts'
import { passwordProxy } from './password-proxy.ts'
import { tcpProxy } from './tcp-proxy.ts'

/** An embedded engine as servers are reached: by address and password. */
export interface OverTcp {
  readonly url: string
  readonly username: string
  /** Another one after each start of the engine. */
  readonly password: string
  /** With credentials that stay, as FOOTFALL_CLICKHOUSE_URL has them. */
  address(database: string): string
  close(): void
}

const LASTING = 'stays-when-the-engine-restarts'

export async function overTcp({ socket, username, secretFile }: EmbeddedClickHouse): Promise<OverTcp> {
  const secret = () => readFileSync(secretFile, 'utf8')
  const [direct, lasting] = await Promise.all([
    tcpProxy(socket),
    passwordProxy(socket, { username, password: LASTING }, () => ({ username, password: secret() })),
  ])
  return {
    url: `http://127.0.0.1:${direct.port}`,
    username,
    get password() {
      return secret()
    },
    address: (database) => `http://${username}:${LASTING}@127.0.0.1:${lasting.port}/${database}`,
    close() {
      direct.close()
      lasting.close()
    },
  }
}
