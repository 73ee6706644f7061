import { Worker } from 'node:worker_threads'
import { backoffMs } from '../lib/backoff.ts'
import { entryPoint } from '../lib/entry-point.ts'
import type { Logger } from '../lib/logger.ts'
import { pause } from '../lib/pause.ts'
import type { PipelineCommand, PipelineMessage, PipelineStart } from './thread-messages.ts'

/**
 * The pipeline runs in a thread of its own, so that a heavy batch never delays a response. If the thread crashes or
 * runs out of memory, capture continues and the thread is started again: what it had not committed is still in the log.
 *
 *   running -> (crashed) -> restarting, after 100 ms to 5 s -> running
 *   running -> paused, while the work of `whilePaused` runs -> running
 *   running -> stopping, when `stop` is called -> stopped
 */
export interface PipelineThread {
  readonly running: boolean
  readonly restarts: number
  /** From now on batches carry samples of these projects, and of no others. */
  watch(projects: readonly number[]): void
  /**
   * Finishes the current batches, runs `work` while the tables do not change, and continues, whether `work` succeeded
   * or failed. Events wait in the log meanwhile. One call at a time.
   */
  whilePaused<T>(work: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

export interface PipelineThreadOptions {
  readonly start: Omit<PipelineStart, 'watched'>
  readonly log: Logger
  readonly onBatch: (batch: Extract<PipelineMessage, { kind: 'batch' }>) => void
}

export async function startPipelineThread(options: PipelineThreadOptions): Promise<PipelineThread> {
  const thread = new RestartingThread(options)
  await thread.start()
  return thread
}

class RestartingThread implements PipelineThread {
  restarts = 0
  readonly #options: PipelineThreadOptions
  #up = false
  #paused = false
  #stopped = false
  #stop = new AbortController()
  #worker: Worker | null = null
  #kept: Promise<void> = Promise.resolve()
  /** Settled when the thread runs again after the last pause, or failed to start. */
  #resumed: Promise<void> = Promise.resolve()
  #watched: readonly number[] = []

  constructor(options: PipelineThreadOptions) {
    this.#options = options
  }

  /** A paused thread counts as running: nothing is wrong with it. */
  get running(): boolean {
    return this.#up || this.#paused
  }

  async start(): Promise<void> {
    const first = this.#launch()
    await first.up
    this.#kept = this.#keepAlive(first.gone)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#end()
  }

  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    await this.#resumed
    if (this.#paused) throw new Error('The pipeline is already paused.')
    this.#paused = true
    await this.#end()
    try {
      return await work()
    } finally {
      if (!this.#stopped) this.#resume()
    }
  }

  async #end(): Promise<void> {
    this.#stop.abort()
    this.#send({ kind: 'stop' })
    await this.#kept
  }

  /** Does not wait for the thread: if it does not come up, it is started again. */
  #resume(): void {
    this.#stop = new AbortController()
    const next = this.#launch()
    const over = () => {
      this.#paused = false
    }
    this.#resumed = next.up.then(over, over)
    this.#kept = this.#keepAlive(next.gone)
  }

  watch(projects: readonly number[]): void {
    this.#watched = projects
    this.#send({ kind: 'watch', projects })
  }

  #send(command: PipelineCommand): void {
    this.#worker?.postMessage(command)
  }

  #launch(): { up: Promise<void>; gone: Promise<void> } {
    const { start, log, onBatch } = this.#options
    const worker = new Worker(entryPoint(import.meta.url, './thread-main.ts'), {
      workerData: { ...start, watched: this.#watched } satisfies PipelineStart,
      // Batches are short-lived: with a large young generation the garbage collector does not copy them.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    })
    this.#worker = worker
    const gone = new Promise<void>((done) => worker.once('exit', () => done()))
    const up = new Promise<void>((done, failed) => {
      worker.on('message', (message: PipelineMessage) => {
        if (message.kind === 'batch') onBatch(message)
        if (message.kind !== 'running') return
        this.#up = true
        done()
      })
      worker.on('error', (error) => {
        log.error({ err: error }, 'the pipeline thread crashed')
        failed(error)
      })
      worker.once('exit', () => failed(new Error('the pipeline thread ended before it was ready')))
    })
    return { up, gone }
  }

  async #keepAlive(first: Promise<void>): Promise<void> {
    const stop = this.#stop.signal
    let gone = first
    for (let attempt = 0; ; attempt++) {
      await gone
      this.#up = false
      if (!stop.aborted) await pause(backoffMs(attempt, { firstMs: 100, longestMs: 5_000 }), stop)
      if (stop.aborted) return
      this.restarts += 1
      const next = this.#launch()
      gone = next.gone
      await next.up.then(
        () => {
          attempt = 0
        },
        () => {},
      )
    }
  }
}
