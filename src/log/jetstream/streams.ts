import { StorageType, type StreamConfig, type StreamInfo } from '@nats-io/jetstream'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { Position } from '../port.ts'
import type { Nats } from './connection.ts'
import { isNoStream } from './failure.ts'
import { LARGE_STREAM, LARGE_SUBJECTS, streamOf, subjectOf } from './names.ts'
import { sequenceOf } from './places.ts'

/**
 * Makes sure that the streams exist, and that new records get positions above everything the consumers have applied. A
 * stream can be behind them: it was deleted and created again, or a server without replicas lost the end of its file in
 * a power cut. Records under numbers that were used before would never be read, so the stream skips ahead, far enough
 * for what consumers are applying at the moment. Skipping deletes everything below, so only one process at a time does
 * it, under the lock of `exclusively`.
 */
export interface StreamKeeper {
  readonly nats: Nats
  readonly partitions: readonly string[]
  readonly replicas: number
  readonly log: Logger | undefined
  /** What the consumers have applied for good, by partition. */
  released(): Promise<Readonly<Record<string, Position>>>
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

const MESSAGES_TO_SPARE = 1_000_000
const NEW_CLUSTER_MS = 30_000
/**
 * "no suitable peers" and "replicas > 1 not supported": a cluster that is still coming together, or has too few
 * servers.
 */
const TOO_FEW_SERVERS = /no suitable peers|insufficient resources|replicas > 1|not current|no quorum/i

export async function ensureStreams(keeper: StreamKeeper): Promise<Map<string, StreamInfo>> {
  const infos = new Map<string, StreamInfo>()
  await ensureStream(keeper, LARGE_STREAM, LARGE_SUBJECTS)
  for (const partition of keeper.partitions)
    infos.set(partition, await ensureStream(keeper, streamOf(partition), subjectOf(partition)))
  const released = await keeper.released()
  if (keeper.partitions.some((name) => isBehind(infos.get(name), released[name]))) {
    await keeper.exclusively(() => moveOn(keeper))
    for (const partition of keeper.partitions)
      infos.set(partition, await keeper.nats.manager.streams.info(streamOf(partition)))
  }
  return infos
}

const isBehind = (info: StreamInfo | undefined, released: Position | undefined): boolean =>
  info !== undefined && info.state.last_seq + 1 < sequenceOf(released ?? 0)

/** Checks again, now under the lock. */
async function moveOn({ nats, partitions, released, log }: StreamKeeper): Promise<void> {
  const applied = await released()
  for (const partition of partitions) {
    const info = await nats.manager.streams.info(streamOf(partition))
    if (!isBehind(info, applied[partition])) continue
    const next = sequenceOf(applied[partition] ?? 0) + MESSAGES_TO_SPARE
    log?.error(
      { stream: streamOf(partition), end: info.state.last_seq, applied: sequenceOf(applied[partition] ?? 0), next },
      'the stream ends before what was applied from it: it was deleted, or its server lost what it had not synced. It goes on at a higher number',
    )
    await nats.manager.streams.purge(streamOf(partition), { seq: next })
  }
}

async function ensureStream(keeper: StreamKeeper, name: string, subject: string): Promise<StreamInfo> {
  const { manager } = keeper.nats
  const wanted: Partial<StreamConfig> & { name: string } = {
    name,
    subjects: [subject],
    storage: StorageType.File,
    num_replicas: keeper.replicas,
    description: 'Events that Footfall has accepted and not yet applied',
  }
  const end = Date.now() + NEW_CLUSTER_MS
  for (;;) {
    try {
      const found = await manager.streams.info(name).catch((error) => {
        if (isNoStream(error)) return null
        throw error
      })
      if (found === null) return await manager.streams.add(wanted)
      // A stream with more replicas than we would create was configured so on purpose.
      if (found.config.num_replicas >= keeper.replicas) return found
      return await manager.streams.update(name, { ...found.config, num_replicas: keeper.replicas })
    } catch (error) {
      if (Date.now() > end) throw withAdvice(error as Error, name, keeper.replicas)
      await pause(250)
    }
  }
}

function withAdvice(error: Error, name: string, replicas: number): Error {
  const advice = TOO_FEW_SERVERS.test(error.message)
    ? `: each record is kept by ${replicas} servers, are there so many? (FOOTFALL_NATS_URL may end in ?replicas=1)`
    : /not enabled|no responders/i.test(error.message)
      ? ': is JetStream on? (start nats-server with -js, or with a jetstream block in its configuration)'
      : ''
  return new Error(`The stream ${name} cannot be made: ${error.message}${advice}`, { cause: error })
}
