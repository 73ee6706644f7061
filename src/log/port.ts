/**
 * The interface of the ingest log: ordered, durable, partitioned. `segments/` keeps it in files on this machine,
 * `jetstream/` in a NATS cluster. Writing (capture) and reading (pipeline) are separate interfaces because they run in
 * separate threads.
 */

/**
 * The position of a record in its partition. Grows with every record and is never used twice. A new partition starts at
 * 0.
 */
export type Position = number

export interface LogEntry {
  readonly partition: string
  readonly payload: Uint8Array
  /**
   * The CRC-32 of the payload, if a worker thread has computed it: for 20 MB it would block the event loop noticeably.
   */
  readonly crc?: number
}

export interface LogRecord {
  readonly position: Position
  readonly payload: Buffer
}

/** A range of one partition: the records from `from` (inclusive) to `next` (exclusive). */
export interface LogRange {
  readonly partition: string
  readonly from: Position
  readonly next: Position
  readonly records: readonly LogRecord[]
}

export interface LogStatus {
  readonly writable: boolean
  /** Why it is not writable, in words an operator can act on. */
  readonly reason: string | null
  readonly backlogBytes: number
  readonly backlogLimitBytes: number
  readonly partitions: Readonly<Record<string, { readonly end: Position; readonly released: Position }>>
}

export interface LogWriter {
  readonly partitions: readonly string[]
  /**
   * Whether a record may be in the log twice, or although its append was refused (`LogUnavailable.maybeStored`): the
   * answer of a server may be lost.
   */
  readonly mayComeTwice: boolean
  /**
   * Appends all entries or none, unless `mayComeTwice`. Resolves when they are durable; rejects with LogUnavailable
   * when the log cannot take them now. The payloads must not change until then.
   */
  append(entries: readonly LogEntry[]): Promise<void>
  status(): LogStatus
  /** Looks at what others have written, where there are others: `status` is as of now afterwards. */
  refresh?(): Promise<void>
  /** The process will stop soon: appends that wait for somebody else are refused in a moment. */
  hurry?(): void
  close(): Promise<void>
}

export interface LogReader {
  readonly partitions: readonly string[]
  /**
   * Durable records from a position on; at least one if there is one, then as many as fit the limits, or as come in
   * good time. Empty at the end.
   */
  read(
    partition: string,
    from: Position,
    limits: { readonly bytes: number; readonly records: number },
  ): Promise<LogRange>
  /** Resolves when there is a durable record at or after `from`, or when the signal aborts. */
  wait(partition: string, from: Position, signal: AbortSignal): Promise<void>
  /** Everything before `upTo` has been applied durably and may be deleted. */
  release(partition: string, upTo: Position): Promise<void>
  /** Nobody reads the partition here any more, until somebody does: nothing more is read ahead. */
  leave?(partition: string): Promise<void>
  close(): Promise<void>
}

/**
 * The log cannot take more now (disk full, backlog over its limit, closed). The client should retry. Nothing was
 * written, unless `maybeStored`: then it is unknown, or true of some partitions.
 */
export class LogUnavailable extends Error {
  override name = 'LogUnavailable'
  readonly retryAfterSeconds: number
  readonly maybeStored: boolean
  constructor(reason: string, retryAfterSeconds = 5, { maybeStored = false } = {}) {
    super(reason)
    this.retryAfterSeconds = retryAfterSeconds
    this.maybeStored = maybeStored
  }
}
