import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from '../../src/engines/clickhouse/index.ts'
import type { Logger } from '../../src/lib/logger.ts'
import { clusterProxy } from './cluster-proxy.ts'

/** The name of the cluster in the engine's configuration. */
export const CLUSTER = 'rehearsal'
/** The library listens nowhere: replicas at these addresses are the engine itself, and are asked inside the process. */
const HOSTS = ['127.0.0.1', 'localhost']
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
  // The users file of the engine grants less: no `clusterAllReplicas`, no ZooKeeper.
  const folder = path.join(dataDir, 'clickhouse', 'users.d')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'cluster.xml'), EVERYTHING_GRANTED)
  const embedded = await startEmbeddedClickHouse({ dataDir, log, moreConfig: clusterConfig(more) })
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

const clusterConfig = (more: string): string => `<tcp_port>${PORT}</tcp_port>
  <remote_servers><${CLUSTER}>${HOSTS.map(
    (host) => `
    <shard>
      <internal_replication>true</internal_replication>
      <replica><host>${host}</host><port>${PORT}</port></replica>
    </shard>`,
  ).join('')}
  </${CLUSTER}></remote_servers>
  <macros><shard>1</shard><replica>one</replica></macros>
  ${more}`

const EVERYTHING_GRANTED = `<clickhouse><users><default>
  <grants replace="1"><query>GRANT ALL ON *.*</query></grants>
</default></users></clickhouse>
`
