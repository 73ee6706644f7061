import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { isNoStream } from '../../src/log/jetstream/failure.ts'
import { freePort } from './free-port.ts'

/** NATS servers of the test's own, with JetStream, in a temporary folder: one, or a cluster of three. Start them in `beforeAll`, stop them in `afterAll`. */
export interface TestNats {
  /** For FOOTFALL_NATS_URL. */
  readonly url: string
  /** Ends one of them as a power cut does. */
  kill9(node?: number): Promise<void>
  /** Starts a killed one again, on what it has on its disk. */
  restart(node?: number): Promise<void>
  /** Deletes every stream. */
  wipe(): Promise<void>
  stop(): Promise<void>
}

const NATS_SERVER = '/usr/sbin/nats-server'
const READY_WITHIN_MS = 300_000

export async function startTestNats({ nodes = 1 }: { readonly nodes?: 1 | 3 } = {}): Promise<TestNats> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-nats-'))
  const ports = await Promise.all(Array.from({ length: nodes * 2 }, freePort))
  const clientPorts = ports.slice(0, nodes)
  const routes = ports.slice(nodes).map((port) => `nats://127.0.0.1:${port}`)
  const running = new Map<number, ChildProcess>()
  const start = async (node: number) => {
    const store = path.join(folder, `node-${node}`)
    const file = path.join(folder, `node-${node}.conf`)
    const cluster = `cluster { name: footfall, listen: "127.0.0.1:${ports[nodes + node]}", routes: ${JSON.stringify(routes)} }`
    await writeFile(
      file,
      `server_name: node-${node}\nlisten: "127.0.0.1:${clientPorts[node]}"\njetstream { store_dir: ${JSON.stringify(store)} }\n${nodes > 1 ? cluster : ''}\n`,
    )
    running.set(node, spawn(NATS_SERVER, ['-c', file], { stdio: 'ignore' }))
  }
  const url = clientPorts.map((port) => `nats://127.0.0.1:${port}`).join(',')
  const servers = clientPorts.map((port) => `127.0.0.1:${port}`)
  const ready = async () => {
    const end = Date.now() + READY_WITHIN_MS
    for (;;) {
      const well = await answers(servers, running.size).catch(() => false)
      if (well) return
      if (Date.now() > end) throw new Error('NATS was not ready in time')
      await delay(50)
    }
  }
  for (let node = 0; node < nodes; node++) await start(node)
  await ready()
  return {
    url,
    async kill9(node = 0) {
      const child = running.get(node)
      running.delete(node)
      if (child) await ended(child, 'SIGKILL')
    },
    async restart(node = 0) {
      await start(node)
      await ready()
    },
    async wipe() {
      // A test may have left a stream without a leader.
      await ready()
      const connection = await connect({ servers })
      const manager = await jetstreamManager(connection)
      for await (const { config } of manager.streams.list())
        await manager.streams.delete(config.name).catch((error: unknown) => {
          // After an election a stream may be listed that is deleted already.
          if (!isNoStream(error)) throw error
        })
      await connection.close()
    },
    async stop() {
      for (const child of running.values()) await ended(child, 'SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * JetStream answers, and in a cluster every server that runs is among its peers; once all of them run again, each has
 * all of every stream.
 */
async function answers(servers: string[], nodes: number): Promise<boolean> {
  const connection = await connect({ servers, timeout: 1_000, reconnect: false })
  try {
    const manager = await jetstreamManager(connection, { timeout: 2_000 })
    await manager.getAccountInfo()
    if (servers.length === 1) return true
    if ((connection.info?.connect_urls?.length ?? 0) < nodes) return false
    return nodes < servers.length || (await areReplicated(manager))
  } finally {
    await connection.close()
  }
}

async function areReplicated({ streams }: JetStreamManager): Promise<boolean> {
  for await (const name of streams.names()) {
    const { cluster } = await streams.info(name)
    if (!cluster?.leader || cluster.replicas?.some(({ current }) => !current)) return false
  }
  return true
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
