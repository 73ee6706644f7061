import type { StreamInfo } from '@nats-io/jetstream'
import { pause } from '../../lib/pause.ts'
import type { Nats } from './connection.ts'
import { LARGE_STREAM, streamOf } from './names.ts'

const LOOK_EVERY_MS = 1_000

interface StreamState {
  readonly first: number
  readonly last: number
  readonly bytes: number
}

/** Checks the streams once a second: their ends, their backlog, and whether each has a leader. */
export class StreamWatch {
  readonly states = new Map<string, StreamState>()
  strain = ''
  /** Since when they are not, or null. */
  strainedSince: number | null = null
  readonly #nats: Nats
  readonly #partitions: readonly string[]
  readonly #stop = new AbortController()
  #largeBytes = 0

  constructor(nats: Nats, partitions: readonly string[]) {
    this.#nats = nats
    this.#partitions = partitions
  }

  get backlogBytes(): number {
    let bytes = this.#largeBytes
    for (const state of this.states.values()) bytes += state.bytes
    return bytes
  }

  seen(infos: ReadonlyMap<string, StreamInfo>): void {
    for (const [partition, { state }] of infos)
      this.states.set(partition, { first: state.first_seq, last: state.last_seq, bytes: state.bytes })
  }

  async start(): Promise<void> {
    // A stream that was just created may have no leader yet.
    await this.#lookQuietly()
    void this.#run()
  }

  stop(): void {
    this.#stop.abort()
  }

  async look(): Promise<void> {
    const { streams } = this.#nats.manager
    const [large, ...infos] = await Promise.all([
      streams.info(LARGE_STREAM),
      ...this.#partitions.map(async (name) => [name, await streams.info(streamOf(name))] as const),
    ])
    this.#largeBytes = large.state.bytes
    this.seen(new Map(infos))
    const leaderless = infos.find(([, { cluster }]) => cluster !== undefined && !cluster.leader)
    if (leaderless) throw new Error(`The stream ${streamOf(leaderless[0])} has no leader.`)
    this.strainedSince = null
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    for (await pause(LOOK_EVERY_MS, signal); !signal.aborted; await pause(LOOK_EVERY_MS, signal)) {
      if (this.#nats.awaySince !== null) continue
      await this.#lookQuietly()
    }
  }

  async #lookQuietly(): Promise<void> {
    await this.look().catch((error: Error) => {
      if (this.#stop.signal.aborted) return
      this.strain = `NATS does not keep the log: ${error.message}`
      this.strainedSince ??= Date.now()
    })
  }
}
