/** What all records of a request have in common. */
export interface Arrival {
  readonly project: number
  readonly receivedAt: number
  readonly sentAt: string | number | null
  readonly ip: string | null
  readonly historical: boolean
  /** How many partitions of the log take live events. */
  readonly livePartitions: number
  /** What is known of the visitor, as the text that follows in a record: place and device. */
  readonly visitor?: string
}
