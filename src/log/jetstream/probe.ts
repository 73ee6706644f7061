import { randomUUID } from 'node:crypto'
import { StorageType } from '@nats-io/jetstream'
import { readNatsAddress } from './address.ts'
import { connectNats, type Nats } from './connection.ts'
import { isOfLog } from './names.ts'

/** What a NATS server or cluster says of itself, and what it does with a scratch stream, which is removed. */
export interface NatsFacts {
  readonly version: string
  /** Null for a single server. */
  readonly cluster: string | null
  /** Servers that clients are told of. */
  readonly servers: number
  readonly maxPayload: number
  /** How many servers keep each record. */
  readonly replicas: number
  /** Bytes that the account may store; null without a limit. */
  readonly storageLimit: number | null
  /** Bytes that wait in the streams of our log. */
  readonly logBytes: number
  /** Null when the stream took and returned a message, else what went wrong. */
  readonly fault: string | null
  /** Replicas of the scratch stream that had everything. */
  readonly currentReplicas: number
}

const CONNECT_WITHIN_MS = 5_000

export async function probeNats(url: string): Promise<NatsFacts> {
  const nats = await connectNats(url, 'footfall cluster check', undefined, CONNECT_WITHIN_MS)
  try {
    const { info } = nats.connection
    const cluster = info?.cluster ?? null
    const replicas = readNatsAddress(url).replicas ?? (cluster === null ? 1 : 3)
    const { limits } = await nats.manager.getAccountInfo()
    const tried = await tryStream(nats, replicas)
    return {
      version: info?.version ?? 'unknown',
      cluster,
      servers: Math.max(1, info?.connect_urls?.length ?? 1),
      maxPayload: info?.max_payload ?? 0,
      replicas,
      storageLimit: (limits.max_storage ?? -1) < 0 ? null : limits.max_storage,
      logBytes: await logBytes(nats),
      ...tried,
    }
  } finally {
    await nats.close()
  }
}

async function logBytes({ manager }: Nats): Promise<number> {
  let bytes = 0
  for await (const { config, state } of manager.streams.list()) if (isOfLog(config.name)) bytes += state.bytes
  return bytes
}

type Tried = Pick<NatsFacts, 'fault' | 'currentReplicas'>

async function tryStream({ manager, client }: Nats, replicas: number): Promise<Tried> {
  const id = randomUUID()
  const [name, subject] = [`check-footfall-${id}`, `footfall.check.${id}`]
  try {
    await manager.streams.add({ name, subjects: [subject], storage: StorageType.File, num_replicas: replicas })
    await client.publish(subject, 'one')
    const stored = await manager.streams.getMessage(name, { seq: 1 })
    const { cluster } = await manager.streams.info(name)
    return {
      fault: stored?.string() === 'one' ? null : 'the stored message is not the one that was sent',
      currentReplicas: 1 + (cluster?.replicas ?? []).filter(({ current }) => current).length,
    }
  } catch (error) {
    return { fault: (error as Error).message, currentReplicas: 0 }
  } finally {
    await manager.streams.delete(name).catch(() => {})
  }
}
