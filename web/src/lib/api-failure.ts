/** Every response that is not a success, as one type. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  /** 0: no answer at all. */
  readonly status: number
  readonly code: string
  readonly attr: string | null

  constructor(status: number, code: string, detail: string, attr: string | null = null) {
    super(detail)
    this.status = status
    this.code = code
    this.attr = attr
  }

  /** The endpoint itself is not there, as opposed to the thing it was asked for. */
  get missing(): boolean {
    return this.status === 404 && this.message === 'Endpoint not found.'
  }
}
