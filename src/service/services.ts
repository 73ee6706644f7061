import type { OpenProjectDirectory } from '../capture/index.ts'
import type { DemoLoader } from '../demo/index.ts'
import type { ClientAddresses } from '../http/client-address.ts'
import type { Logger } from '../lib/logger.ts'
import type { EventLog } from '../log/index.ts'
import type { PipelineThread } from '../pipeline/index.ts'
import type { Config } from './config.ts'
import type { Engines } from './engines.ts'
import type { LiveView } from './live-view.ts'
import type { Metrics } from './metrics.ts'

/** Everything that runs in this process. */
export interface House {
  readonly config: Config
  readonly addresses: ClientAddresses
  readonly log: Logger
  readonly engines: Engines
  /** Null where no role writes or reads it. */
  readonly eventLog: EventLog | null
  readonly metrics: Metrics
  readonly live: LiveView
  pipeline: PipelineThread | null
  projects: OpenProjectDirectory | null
  /** Null where this process takes no events. */
  demo: DemoLoader | null
  /** Among the processes that share the work. */
  readonly name: string
  readonly startedAt: Date
}
