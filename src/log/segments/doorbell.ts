import type { SharedPositions } from './shared-positions.ts'

const LOOK_AGAIN_MS = 1_000

/**
 * Waits for conditions on the shared positions. All waits of a reader share one wait on the counter that the writer
 * increments, so an aborted wait leaves nothing behind. A timer also checks once a second: it keeps the thread alive
 * during a wait (a wait on shared memory does not), and limits the delay if a notification is lost.
 */
export class Doorbell {
  readonly #positions: SharedPositions
  readonly #waits = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null
  #listening = false

  constructor(positions: SharedPositions) {
    this.#positions = positions
  }

  /** Resolves when the condition holds or the signal aborts. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || condition()) return Promise.resolve()
    return new Promise((resolve) => {
      const finish = () => {
        this.#waits.delete(look)
        signal.removeEventListener('abort', finish)
        if (this.#waits.size === 0) this.#rest()
        resolve()
      }
      const look = () => {
        if (condition()) finish()
      }
      signal.addEventListener('abort', finish)
      this.#waits.add(look)
      this.#timer ??= setInterval(() => this.#look(), LOOK_AGAIN_MS)
      this.#listen()
      // The writer may have notified between the check and the wait.
      look()
    })
  }

  #listen(): void {
    if (this.#listening) return
    this.#listening = true
    void this.#positions.rung(this.#positions.rings()).then(() => {
      this.#listening = false
      if (this.#waits.size > 0) this.#listen()
      this.#look()
    })
  }

  #look(): void {
    for (const look of [...this.#waits]) look()
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}
