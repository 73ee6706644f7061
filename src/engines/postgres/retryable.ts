/** The transaction was rolled back because of concurrent ones: serialisation failure, deadlock. */
const LOST_TO_OTHERS = new Set(['40001', '40P01'])

/** The server or the connection was lost: SQL states, the client library's codes, the system's codes. */
const CONNECTION_LOST = new Set([
  ...['57P01', '57P02', '57P03', '25P03', '53300', '08000', '08001', '08003', '08004', '08006', '08P01'],
  ...['CONNECTION_CLOSED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
])

/**
 * Classes of SQL states that are not about the statement: no space, memory or connection left (53), disk or system
 * failure (58).
 */
const OUT_OF_RESOURCES = /^5[38][0-9A-Z]{3}$/

/** Ended by a limit of time (of a statement, a lock, a transaction), or by a server that takes no writes at the moment. */
const ENDED = new Set(['57014', '55P03', '25P04', '25006'])

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

export const connectionLost = (error: unknown): boolean => CONNECTION_LOST.has(codeOf(error))

/** Whether the same statement or transaction may succeed a moment later. */
export const isRetryable = (error: unknown): boolean => LOST_TO_OTHERS.has(codeOf(error)) || connectionLost(error)

/** Whether Postgres itself has a problem: the statement will succeed when that is solved. */
export const isTroubleOfPostgres = (error: unknown): boolean =>
  isRetryable(error) || ENDED.has(codeOf(error)) || OUT_OF_RESOURCES.test(codeOf(error))
