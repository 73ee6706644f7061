import { JetStreamApiError } from '@nats-io/jetstream'

/** JetStream's errors for which a retry does not help: no space, or a limit of the stream. */
const FULL = new Set([10023, 10028, 10047, 10054, 10077])
const STREAM_NOT_FOUND = 10059
/** A server of a cluster answers with the first, a single one with the second. */
const NO_MESSAGE = new Set([10043, 10057])

const codeOf = (error: unknown): number => (error instanceof JetStreamApiError ? error.apiError().err_code : 0)

export const isFull = (error: unknown): boolean => FULL.has(codeOf(error))
export const isNoMessage = (error: unknown): boolean => NO_MESSAGE.has(codeOf(error))
export const isNoStream = (error: unknown): boolean => codeOf(error) === STREAM_NOT_FOUND
