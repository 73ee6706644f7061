import type { CaptureDeps, OpenProjectDirectory } from '../capture/index.ts'
import type { DemoLoader } from '../demo/index.ts'
import type { GeoFiles } from '../events/index.ts'
import type { ClientAddresses } from '../http/client-address.ts'
import type { Logger } from '../lib/logger.ts'
import type { EventLog } from '../log/index.ts'
import type { PipelineThread } from '../pipeline/index.ts'
import type { Metrics } from './health/metrics.ts'
import type { LiveView } from './live-view.ts'
import type { Config } from './startup/config.ts'
import type { Engines } from './startup/engines.ts'

/** What a running process holds: configuration, engines, log, pipeline and the rest. */
export interface Services {
  readonly config: Config
  readonly addresses: ClientAddresses
  readonly log: Logger
  readonly engines: Engines
  /** Null where no role writes or reads it. */
  /** How many partitions of the log take live events. */
  readonly livePartitions: number
  readonly eventLog: EventLog | null
  readonly metrics: Metrics
  readonly live: LiveView
  pipeline: PipelineThread | null
  projects: OpenProjectDirectory | null
  /** Where addresses are; null where this process takes no events, or it is switched off. */
  readonly geo: GeoFiles | null
  /** Null where no SDK asks. */
  flags: NonNullable<CaptureDeps['flags']> | null
  /** Null where this process takes no events. */
  demo: DemoLoader | null
  /** The name of this process, unique among those that share the work. */
  readonly name: string
  readonly startedAt: Date
}
