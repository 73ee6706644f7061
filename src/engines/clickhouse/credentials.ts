import { readFileSync } from 'node:fs'
import type { ClickHouseFailure } from './failure.ts'

/**
 * The client's credentials. The embedded engine has a new secret after each start, in a file that only we can read: it
 * is read again when the known one is refused.
 */
export class Credentials {
  readonly #username: string
  readonly #file: string | undefined
  #password: string

  constructor(given: { username: string; password: string; secretFile?: string | undefined }) {
    this.#username = given.username
    this.#file = given.secretFile
    this.#password = this.#file === undefined ? given.password : this.#read()
  }

  get auth(): { username: string; password: string } {
    return { username: this.#username, password: this.#password }
  }

  /**
   * Whether the engine was restarted since, so that a retry makes sense: it refused `used`, and has another one now.
   * Several statements may have been refused; the first of them reads the new one for all.
   */
  renewedAfter({ code }: ClickHouseFailure, used: string): boolean {
    if (code !== AUTHENTICATION_FAILED || this.#file === undefined) return false
    this.#password = this.#read()
    return this.#password !== used
  }

  /** Empty while the engine starts: it then refuses us, and the file is read again. */
  #read(): string {
    try {
      return readFileSync(this.#file ?? '', 'utf8')
    } catch {
      return ''
    }
  }
}

export const AUTHENTICATION_FAILED = 516
