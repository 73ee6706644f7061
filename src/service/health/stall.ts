/**
 * How long the pipeline has made no progress while records wait in the log. The lag of a batch is known only once it is
 * decided: a pipeline that hangs decides none, and is noticed here instead.
 */
export class StallWatch {
  #since: number

  constructor(now = Date.now()) {
    this.#since = now
  }

  progress(now = Date.now()): void {
    this.#since = now
  }

  /** Seconds, 0 when nothing waits. */
  seconds(waiting: boolean, now = Date.now()): number {
    if (!waiting) this.#since = now
    return Math.max(0, (now - this.#since) / 1000)
  }
}
