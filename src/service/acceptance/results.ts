/** What one check found. `failed` and `warning` say what to do about it. */
export interface CheckResult {
  readonly about: 'ClickHouse' | 'NATS' | 'PostgreSQL'
  readonly check: string
  readonly outcome: 'passed' | 'failed' | 'warning' | 'skipped'
  readonly detail: string
  readonly todo?: string
}

/** Ends a check with an outcome other than `passed`. */
class Finding extends Error {
  readonly outcome: 'failed' | 'warning' | 'skipped'
  readonly todo: string | undefined
  constructor(outcome: Finding['outcome'], detail: string, todo?: string) {
    super(detail)
    this.outcome = outcome
    this.todo = todo
  }
}

export const failed = (detail: string, todo: string): Finding => new Finding('failed', detail, todo)
export const warning = (detail: string, todo: string): Finding => new Finding('warning', detail, todo)
export const skipped = (detail: string): Finding => new Finding('skipped', detail)

/** The checks of one system, in order. A check returns what it saw, or throws what it found. */
export class Checks {
  readonly results: CheckResult[] = []
  readonly #about: CheckResult['about']
  readonly #onResult: (result: CheckResult) => void

  constructor(about: CheckResult['about'], onResult: (result: CheckResult) => void) {
    this.#about = about
    this.#onResult = onResult
  }

  /** Whether it passed, or only gave a warning: checks that build on it make sense. */
  async run(check: string, look: () => Promise<string> | string): Promise<boolean> {
    const result = await this.#resultOf(check, look)
    this.results.push(result)
    this.#onResult(result)
    return result.outcome === 'passed' || result.outcome === 'warning'
  }

  async #resultOf(check: string, look: () => Promise<string> | string): Promise<CheckResult> {
    try {
      return { about: this.#about, check, outcome: 'passed', detail: await look() }
    } catch (error) {
      const { message } = error as Error
      if (!(error instanceof Finding))
        return {
          about: this.#about,
          check,
          outcome: 'failed',
          detail: message,
          todo: `Solve what ${this.#about} reports, then run the check again.`,
        }
      const { outcome, todo } = error
      return { about: this.#about, check, outcome, detail: message, ...(todo === undefined ? {} : { todo }) }
    }
  }
}
