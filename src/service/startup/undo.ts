import type { Logger } from '../../lib/logger.ts'

/** What was started is stopped in the reverse order; one thing that fails to stop does not keep the others running. */
export class Undo {
  readonly #steps: { readonly what: string; readonly undo: () => Promise<unknown> | undefined }[] = []
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  later(what: string, undo: () => Promise<unknown> | undefined): void {
    this.#steps.push({ what, undo })
  }

  async all(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      const { what, undo } = step
      try {
        await undo()
      } catch (error) {
        this.#log.error({ err: error, what }, 'did not stop cleanly')
      }
    }
  }
}
