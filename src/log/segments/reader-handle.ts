/** Everything a reader needs to know about an open log; can be posted to another thread. */
export interface SegmentReaderHandle {
  readonly dir: string
  readonly partitions: readonly string[]
  readonly shared: SharedArrayBuffer
}
