import { ClickHouseError } from '@clickhouse/client'

/**
 * unavailable  ClickHouse does not answer, or not now: try again later
 * too_heavy    the query needs more time or memory than allowed: narrow it
 * bad_query    the statement is wrong
 * other        anything else, including a cancellation
 */
type FailureKind = 'unavailable' | 'too_heavy' | 'bad_query' | 'other'

/** An error of ClickHouse, in one form for all callers. `code` is ClickHouse's number, 0 when it did not answer. */
export class ClickHouseFailure extends Error {
  override name = 'ClickHouseFailure'
  readonly code: number
  readonly type: string
  readonly kind: FailureKind

  constructor(message: string, details: { code: number; type: string; kind: FailureKind; cause?: unknown }) {
    super(message, { cause: details.cause })
    this.code = details.code
    this.type = details.type
    this.kind = details.kind
  }
}

export const isUnavailable = (error: unknown): error is ClickHouseFailure =>
  error instanceof ClickHouseFailure && error.kind === 'unavailable'

/** CANCELLED, by the caller's signal or by `cancel`. */
export const QUERY_WAS_CANCELLED = 394

const KINDS: Record<Exclude<FailureKind, 'other'>, readonly number[]> = {
  unavailable: [202, 209, 210, 225, 242, 252, 279, 319, 425, 439, 516, 999],
  too_heavy: [158, 159, 160, 161, 162, 191, 241, 290, 307, 396],
  bad_query: [
    6, 8, 10, 15, 16, 26, 27, 36, 38, 41, 42, 43, 44, 46, 47, 48, 50, 53, 60, 62, 63, 69, 70, 72, 73, 81,
  ].concat([115, 117, 130, 131, 153, 179, 184, 207, 215, 349, 352, 386, 403, 407, 427, 456, 457, 467, 473]),
}

const kindOf = (code: number): FailureKind =>
  (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((kind) => KINDS[kind].includes(code)) ?? 'other'

const DROPPED_SOCKET = /socket hang up|ECONNRESET|EPIPE|aborted/i
/** Nothing listens on the port or the socket. */
const NOBODY_THERE = /ECONNREFUSED|ENOENT/

/** The server closed the connection, or is not there. Whether it had begun the work is unknown. */
export const isAway = (error: unknown): boolean => {
  if (error instanceof ClickHouseError || !(error instanceof Error)) return false
  const words = `${codeOf(error)} ${error.message}`
  return DROPPED_SOCKET.test(words) || NOBODY_THERE.test(words)
}

export function asFailure(error: unknown, signal?: AbortSignal): ClickHouseFailure {
  if (error instanceof ClickHouseFailure) return error
  if (signal?.aborted)
    return new ClickHouseFailure('The query was cancelled.', {
      code: QUERY_WAS_CANCELLED,
      type: 'QUERY_WAS_CANCELLED',
      kind: 'other',
      cause: error,
    })
  if (error instanceof ClickHouseError) {
    const code = Number(error.code)
    return new ClickHouseFailure(error.message.trim(), {
      code,
      type: error.type ?? '',
      kind: kindOf(code),
      cause: error,
    })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new ClickHouseFailure(`ClickHouse does not answer: ${message || codeOf(error)}`, {
    code: 0,
    type: codeOf(error),
    kind: 'unavailable',
    cause: error,
  })
}

/** The error at the end of a binary result, if any: in a frame with a tag, or bare as servers before 25.11 write it. */
export function brokenOff(
  end: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ClickHouseFailure | null {
  const tag = headers['x-clickhouse-exception-tag']
  const at =
    tag === undefined ? end.search(/Code: \d+\. DB::Exception: /) : end.lastIndexOf(`__exception__\r\n${tag}\r\n`)
  if (at < 0) return null
  const text = /Code: (\d+)\. DB::Exception: [^\r\n]*/.exec(end.slice(at))
  const code = Number(text?.[1] ?? 0)
  return new ClickHouseFailure(text?.[0] ?? 'the result was broken off', { code, type: '', kind: kindOf(code) })
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
