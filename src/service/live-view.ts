import type { Logger } from '../lib/logger.ts'
import { LiveExchange, LiveHub } from '../live/index.ts'
import type { LiveBatch, PipelineThread } from '../pipeline/index.ts'
import type { Config } from './startup/config.ts'
import type { Engines } from './startup/engines.ts'
import { isOneOfSeveral } from './startup/topology.ts'

/**
 * Which projects are watched live, in this process and in others; passes both lists on to the pipeline of this process,
 * if it has one.
 */
export class LiveView {
  readonly hub: LiveHub
  readonly #exchange: LiveExchange | null
  #pipeline: PipelineThread | null = null
  #here: readonly number[] = []
  #elsewhere: readonly number[] = []

  constructor(config: Config, { sql }: Engines, name: string, log: Logger) {
    this.hub = new LiveHub((projects) => {
      this.#here = projects
      this.#tell()
      this.#exchange?.watchedHere(projects)
    })
    const onWatchedElsewhere = (projects: readonly number[]) => {
      this.#elsewhere = projects
      this.#tell()
    }
    this.#exchange = isOneOfSeveral(config)
      ? new LiveExchange({ sql, log, hub: this.hub, name, onWatchedElsewhere })
      : null
  }

  async open(): Promise<void> {
    await this.#exchange?.open()
  }

  attach(pipeline: PipelineThread): void {
    this.#pipeline = pipeline
    this.#tell()
  }

  /** Samples from the pipeline of this process. */
  publish(batches: readonly LiveBatch[]): void {
    this.hub.publish(batches)
    this.#exchange?.publish(batches)
  }

  async close(): Promise<void> {
    await this.#exchange?.close()
  }

  #tell(): void {
    this.#pipeline?.watch([...new Set([...this.#here, ...this.#elsewhere])])
  }
}
