import { ERRORS, type ErrorAnswer, type ErrorCode } from '../contract/errors.ts'

export { ERRORS, type ErrorCode } from '../contract/errors.ts'

/** An answer to a request that cannot be served. Thrown anywhere below a route; the server turns it into a body. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly attr: string | null
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, detail?: string, options: { attr?: string | null; retryAfterSeconds?: number } = {}) {
    super(detail ?? ERRORS[code][2])
    this.code = code
    this.status = ERRORS[code][0]
    this.attr = options.attr ?? null
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** What HTTP wants beside the body: how to prove who one is, and when to come again. */
  headers(): Record<string, string> {
    return {
      ...(this.status === 401 ? { 'www-authenticate': 'Bearer realm="Footfall"' } : {}),
      ...(this.retryAfterSeconds === undefined ? {} : { 'retry-after': String(this.retryAfterSeconds) }),
    }
  }

  body(): ErrorAnswer {
    return { type: ERRORS[this.code][1], code: this.code, detail: this.message, attr: this.attr }
  }
}
