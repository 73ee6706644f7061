import type { Logger } from '../../lib/logger.ts'

/** Stops what was started, in reverse order. When one part fails to stop, the others are stopped all the same. */
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
