import type { FailureCode } from './decision.ts'

/** What the flag depends on could not be read, or costs too much. */
export class Undecided extends Error {
  override name = 'Undecided'
  readonly code: FailureCode

  constructor(code: FailureCode) {
    super(code)
    this.code = code
  }
}
