import type { ClickHouseServer } from '../engines/clickhouse/index.ts'
import type { PostgresServer } from '../engines/postgres/index.ts'
import type { LogReaderHandle } from '../log/index.ts'
import type { LiveBatch } from './live-samples.ts'

/** The `workerData` of the pipeline's thread. */
export interface PipelineStart {
  readonly postgres: PostgresServer
  readonly clickhouse: ClickHouseServer
  readonly reader: LogReaderHandle
  /** How many partitions take live events. */
  readonly livePartitions: number
  /** Capture runs in the same process, and comes first when the machine is busy. */
  readonly yields: boolean
  /** Other processes run the pipeline on the same log: the name of this one among them. Null when it is alone. */
  readonly sharesAs: string | null
  readonly logLevel: string
  /** The file of addresses: a path, `off`, or undefined for ours. */
  readonly geoip: string | undefined
  readonly geoip_asn: string | undefined
  readonly watched: readonly number[]
}

/** Messages to the thread. */
export type PipelineCommand =
  | { readonly kind: 'stop' }
  /** All projects that are watched live now. */
  | { readonly kind: 'watch'; readonly projects: readonly number[] }

/** Messages from the thread. */
export type PipelineMessage =
  | { readonly kind: 'running' }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'batch'
      readonly partition: string
      readonly position: number
      readonly events: number
      readonly warnings: Readonly<Record<string, number>>
      readonly deadLetters: number
      readonly lagMs: number
      /** Of watched projects only. */
      readonly live: readonly LiveBatch[]
    }
