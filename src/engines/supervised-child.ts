import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../lib/backoff.ts'
import { MINUTE } from '../lib/durations.ts'
import type { Logger } from '../lib/logger.ts'
import { pause } from '../lib/pause.ts'
import { makeYield } from '../lib/priority.ts'

/**
 * A child process that is kept alive.
 *
 *   starting     the process was spawned and is not ready yet
 *                -> ready        `ready()` resolved
 *                -> backing-off  it exited, or `ready()` rejected, or it took longer than `startTimeoutMs` (it is
 *                                killed then)
 *   ready        it serves; `whenReady()` resolves
 *                -> backing-off  it exited unexpectedly
 *   backing-off  waiting 100 ms, 200 ms, ... at most 5 s before the next try; after a minute of being ready it begins
 *                at 100 ms again
 *                -> starting     the wait is over
 *   stopping     `stop()` was called: the child is asked to end, and killed after `stopTimeoutMs`
 *                -> stopped      it has ended, and will not be started again; pending `whenReady()` calls reject
 *
 * The first start is different in one point: when it fails, `start()` rejects with the child's last output, because a
 * wrong installation does not repair itself. After the first success every crash is only logged.
 */
export type ChildState = 'starting' | 'ready' | 'backing-off' | 'stopping' | 'stopped'

export interface ChildOptions {
  readonly name: string
  readonly log: Logger
  /** The program and how to spawn it. Called for every (re)start, so that it can clean up after the last one. */
  command(): Promise<SpawnPlan> | SpawnPlan
  /**
   * Resolves when the child serves, rejects when it never will. The supervisor itself notices an exit meanwhile; `over`
   * is aborted when nobody waits any more.
   */
  ready(child: ChildProcess, over: AbortSignal): Promise<void>
  /** Asks the child to end gracefully. */
  askToStop(child: ChildProcess): void
  readonly stopTimeoutMs?: number
  readonly startTimeoutMs?: number
}

interface SpawnPlan {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly uid?: number
  readonly gid?: number
  /** How many steps of niceness it yields to us when the machine is busy. */
  readonly yieldBy?: number
  /** Opens an IPC channel (for Node children); it closes when this process ends, so the child can notice. */
  readonly ipc?: boolean
  /** In a process group of its own: Ctrl-C in a terminal does not reach it. */
  readonly ownGroup?: boolean
}

const BACKOFF = { firstMs: 100, longestMs: 5_000 }
const STEADY_MS = MINUTE
/** An engine may have much to repair after a power cut; killed meanwhile, it would begin again, and never end. */
const START_TIMEOUT_MS = 10 * MINUTE
const STILL_STARTING_EVERY_MS = MINUTE / 2

export class SupervisedChild {
  #state: ChildState = 'starting'
  #child: ChildProcess | null = null
  #restarts = 0
  #lastWords = ''
  readonly #stopRequested = new AbortController()
  readonly #waiting = new Set<Waiter>()
  #running: Promise<void> = Promise.resolve()
  readonly #options: ChildOptions

  private constructor(options: ChildOptions) {
    this.#options = options
  }

  /** Starts the child and resolves when it is ready for the first time. */
  static async start(options: ChildOptions): Promise<SupervisedChild> {
    const supervised = new SupervisedChild(options)
    const { exit } = await supervised.#startOnce()
    supervised.#running = supervised.#keepAlive(exit)
    return supervised
  }

  get state(): ChildState {
    return this.#state
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get restarts(): number {
    return this.#restarts
  }

  /** Resolves at once when the child is ready, else at its next `ready`. Rejects when it will never be ready again. */
  async whenReady(): Promise<void> {
    if (this.#state === 'ready') return
    if (this.#state === 'stopped') throw this.#stoppedError()
    await new Promise<void>((resolve, reject) => this.#waiting.add({ resolve, reject }))
  }

  async stop(): Promise<void> {
    if (this.#state === 'stopped') return
    this.#stopRequested.abort()
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      this.#enter('stopping')
      this.#options.askToStop(child)
      const killer = setTimeout(() => child.kill('SIGKILL'), this.#options.stopTimeoutMs ?? 5_000)
      await this.#running
      clearTimeout(killer)
    } else {
      await this.#running
    }
    this.#enter('stopped')
  }

  /**
   * Spawns the child and waits for `ready`; returns a promise of its exit. Rejects, after the child has ended, when it
   * is not ready.
   */
  async #startOnce(): Promise<{ exit: Promise<string> }> {
    this.#enter('starting')
    const plan = await this.#options.command()
    this.#stopRequested.signal.throwIfAborted()
    const child = spawn(plan.file, plan.args, {
      stdio: ['ignore', 'pipe', 'pipe', ...(plan.ipc ? (['ipc'] as const) : [])],
      env: plan.env ?? process.env,
      detached: plan.ownGroup ?? false,
      ...(plan.cwd === undefined ? {} : { cwd: plan.cwd }),
      ...(plan.uid === undefined ? {} : { uid: plan.uid, gid: plan.gid }),
    })
    this.#child = child
    if (plan.yieldBy !== undefined) makeYield(child.pid, plan.yieldBy)
    this.#lastWords = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => this.#heard(text.toString('utf8')))
    const exit = new Promise<string>((done) => {
      child.once('error', (error) => done(error.message))
      child.once('exit', (code, signal) => done(signal ?? `status ${code}`))
    })
    const died = exit.then((how) =>
      Promise.reject(new Error(`${this.#options.name} ended (${how}): ${this.#lastWords.trim() || 'no output'}`)),
    )
    const limit = this.#options.startTimeoutMs ?? START_TIMEOUT_MS
    const attempt = new AbortController()
    const late = delay(limit, undefined, { signal: attempt.signal }).then(() =>
      Promise.reject(new Error(`${this.#options.name} was not ready after ${limit} ms: ${this.#lastWords.trim()}`)),
    )
    const { name, log } = this.#options
    const telling = setInterval(() => log.warn(`${name} is still starting`), STILL_STARTING_EVERY_MS)
    try {
      await Promise.race([this.#options.ready(child, attempt.signal), died, late])
    } catch (error) {
      child.kill('SIGKILL')
      await exit
      throw error
    } finally {
      clearInterval(telling)
      died.catch(() => {})
      late.catch(() => {})
      attempt.abort()
    }
    this.#enter('ready')
    return { exit }
  }

  async #keepAlive(firstExit: Promise<string>): Promise<void> {
    let deaths = 0
    let exit: Promise<string> | null = firstExit
    const { name, log } = this.#options
    const stop = this.#stopRequested.signal
    for (;;) {
      if (exit) {
        const since = Date.now()
        const how = await exit
        if (stop.aborted) return void log.debug({ child: name, how }, 'child process ended')
        log.error({ child: name, how, lastWords: this.#lastWords.trim() }, 'child process crashed')
        if (Date.now() - since > STEADY_MS) deaths = 0
      }
      this.#enter('backing-off')
      await pause(backoffMs(deaths++, BACKOFF), stop)
      if (stop.aborted) return
      this.#restarts += 1
      const started = await this.#startOnce().catch((error: Error) => {
        if (!stop.aborted) log.error({ child: name, error: error.message }, 'child process did not start')
        return null
      })
      exit = started?.exit ?? null
      if (stop.aborted) {
        if (exit) this.#options.askToStop(this.#child as ChildProcess)
        await exit
        return
      }
      if (exit) log.info({ child: name, pid: this.pid }, 'child process is back')
    }
  }

  #enter(state: ChildState): void {
    const ending = this.#stopRequested.signal.aborted
    if (ending && state !== 'stopping' && state !== 'stopped') return
    this.#state = state
    if (state !== 'ready' && state !== 'stopped') return
    for (const { resolve, reject } of this.#waiting) state === 'ready' ? resolve() : reject(this.#stoppedError())
    this.#waiting.clear()
  }

  #stoppedError(): Error {
    return new Error(`${this.#options.name} was stopped`)
  }

  #heard(text: string): void {
    this.#lastWords = (this.#lastWords + text).slice(-2_000)
    this.#options.log.debug({ child: this.#options.name }, text.trimEnd())
  }
}

interface Waiter {
  resolve(): void
  reject(reason: Error): void
}
