/** What is known of a request besides its events. */
export interface Arrival {
  readonly project: number
  readonly receivedAt: number
  readonly sentAt: string | number | null
  readonly ip: string | null
  readonly historical: boolean
}
