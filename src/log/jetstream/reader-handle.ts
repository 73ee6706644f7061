/** Everything a reader needs to know to find the log; can be posted to another thread. */
export interface JetstreamReaderHandle {
  readonly kind: 'jetstream'
  readonly url: string
  readonly partitions: readonly string[]
}
