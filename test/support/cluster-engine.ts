import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from '../../src/engines/clickhouse/index.ts'
import type { Logger } from '../../src/lib/logger.ts'
import { clusterProxy } from './cluster-proxy.ts'

/** The name of the cluster in the engine's configuration. */
export const CLUSTER = 'rehearsal'
const SHARDS = 2
/** The library listens nowhere: a replica at this address is the engine itself, and is asked inside the process. */
const PORT = 9000

export interface ClusterEngine {
  readonly embedded: EmbeddedClickHouse
  /** For `openClickHouse`. */
  readonly server: {
    readonly url: string
    readonly username: string
    readonly secretFile: string
    readonly cluster: string
  }
  stop(): Promise<void>
}

/** With the credentials, as FOOTFALL_CLICKHOUSE_URL has them. */
export function clusterAddress({ server }: Pick<ClusterEngine, 'server'>, database: string): string {
  const address = new URL(`/${database}`, server.url)
  address.username = server.username
  address.password = readFileSync(server.secretFile, 'utf8')
  return address.href
}

/** An embedded ClickHouse as a cluster of two shards (cluster-proxy.ts); `more` is further configuration. */
export async function startClusterEngine(dataDir: string, log: Logger, more = ''): Promise<ClusterEngine> {
  const folder = path.join(dataDir, 'clickhouse')
  for (const [name, content] of [
    ['config.d', clusterConfig(more)],
    ['users.d', EVERYTHING_GRANTED],
  ] as const) {
    await mkdir(path.join(folder, name), { recursive: true })
    await writeFile(path.join(folder, name, 'cluster.xml'), content)
  }
  const embedded = await startEmbeddedClickHouse({ dataDir, log })
  const { port, close } = await clusterProxy(embedded.socket)
  const { username, secretFile } = embedded
  return {
    embedded,
    server: { url: `http://127.0.0.1:${port}`, username, secretFile, cluster: CLUSTER },
    stop: async () => {
      close()
      await embedded.stop()
    },
  }
}

const clusterConfig = (more: string): string => `<clickhouse>
  <tcp_port>${PORT}</tcp_port>
  <remote_servers><${CLUSTER}>${`
    <shard>
      <internal_replication>true</internal_replication>
      <replica><host>127.0.0.1</host><port>${PORT}</port></replica>
    </shard>`.repeat(SHARDS)}
  </${CLUSTER}></remote_servers>
  <macros><shard>1</shard><replica>one</replica></macros>
  ${more}
</clickhouse>
`

/** The embedded engine grants less: no row policies, no system tables of ZooKeeper. */
const EVERYTHING_GRANTED = `<clickhouse><users><default>
  <access_management>1</access_management>
  <grants replace="1"><query>GRANT ALL ON *.*</query></grants>
</default></users></clickhouse>
`
