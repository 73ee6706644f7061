import { Worker } from 'node:worker_threads'
import { ApiError } from '../../http/errors.ts'
import { entryPoint } from '../../lib/entry-point.ts'
import { FairQueue, type QueueKey } from '../../lib/fair-queue.ts'
import type { Client } from '../../lib/held-back.ts'
import type { OnHeldBack } from '../http/body-budget.ts'
import { LIMITS } from '../limits.ts'
import type { RequestMeta } from '../parse-capture.ts'
import type { CaptureSettings, ProjectSettings } from '../projects/project-directory.ts'
import type { Records } from '../stages/records.ts'
import type { FromWorker, ToWorker } from './body-worker-protocol.ts'

/**
 * A few threads that parse large bodies, so that one upload of 20 MB does not delay other requests.
 *
 * A thread is started when there is work and none is free (up to a limit), and is then:
 *   busy   it has one job; it asks for the project of the job's key and answers with records or an error -> free
 *   free   takes the next job of the queue -> busy
 *   dead   it crashed, ran out of memory or took too long: its job gets an error, and the next job starts a new thread
 * The queue is bounded and fair: projects take turns, and within a project the addresses do. A job whose sender has too
 * many waiting is refused with 503; when the whole queue is full, the newest job of the project with the most waiting
 * is refused instead. One extra thread is started for a project that has none while others use all of them.
 */
export interface ParsedCapture {
  readonly records: Records
  readonly project: ProjectSettings
}

export interface Job {
  readonly meta: RequestMeta
  /** The body, in order. The blocks are transferred to the thread. */
  readonly blocks: readonly Buffer[]
  findProject(key: string): Promise<ProjectSettings>
  readonly from: QueueKey
}

interface Pending {
  readonly job: Job
  project: ProjectSettings | null
  resolve(taken: ParsedCapture): void
  reject(error: unknown): void
  /** Ends the thread when it takes too long. */
  deadline?: NodeJS.Timeout
}

interface BodyWorkersOptions {
  readonly threads?: number
  readonly queuedJobs?: number
  readonly queuedJobsOfOne?: number
  readonly onHeldBack?: OnHeldBack
  /** Heap of one thread. Only bodies made to be costly (100 MiB of empty objects) need more. */
  readonly heapMb?: number
  /** How long a thread may take for one job. */
  readonly jobMs?: number
  readonly program?: string
}

export class BodyWorkers {
  readonly #threads: number
  readonly #queuedJobs: number
  readonly #heapMb: number
  readonly #jobMs: number
  readonly #program: string
  readonly #queue = new FairQueue<Pending>()
  readonly #queuedJobsOfOne: number
  readonly #onHeldBack: OnHeldBack
  readonly #free: Worker[] = []
  readonly #busy = new Map<Worker, Pending>()
  #closed = false

  constructor(options: BodyWorkersOptions = {}) {
    this.#threads = options.threads ?? 2
    this.#queuedJobs = options.queuedJobs ?? LIMITS.queuedJobs
    this.#queuedJobsOfOne = options.queuedJobsOfOne ?? LIMITS.queuedJobsOfOne
    this.#onHeldBack = options.onHeldBack ?? (() => {})
    this.#heapMb = options.heapMb ?? 2048
    this.#jobMs = options.jobMs ?? LIMITS.jobMs
    this.#program = options.program ?? entryPoint(import.meta.url, './body-worker.ts')
  }

  run(job: Job): Promise<ParsedCapture> {
    const refusal = this.#closed ? overloaded() : this.#full(job.from)
    if (refusal) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      this.#queue.push(job.from, { job, project: null, resolve, reject })
      this.#next()
    })
  }

  #full(from: QueueKey): ApiError | null {
    if (this.#queue.sizeOf(from) >= this.#queuedJobsOfOne) {
      this.#onHeldBack('queue_of_client', clientOf(from))
      return overloaded()
    }
    if (this.#queue.size < this.#queuedJobs) return null
    const newest = this.#queue.evictFor(from.owner)
    // Whoever fills the queue is held back, not the one that finds it full.
    this.#onHeldBack('queue', clientOf(newest?.job.from ?? from))
    newest?.reject(overloaded())
    return newest ? null : overloaded()
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#queue.takeAll())
      job.reject(new ApiError('unavailable', undefined, { retryAfterSeconds: 5 }))
    await Promise.all([...this.#free, ...this.#busy.keys()].map((worker) => worker.terminate()))
  }

  #next(): void {
    if (this.#queue.size === 0 || this.#busy.size > this.#threads) return
    const running = new Set([...this.#busy.values()].map(({ job }) => job.from.owner))
    const all = this.#busy.size === this.#threads
    const pending = this.#queue.shift((owner) => (all && running.has(owner) ? Number.POSITIVE_INFINITY : 0))
    if (!pending) return
    const worker = this.#free.pop() ?? this.#start()
    this.#busy.set(worker, pending)
    worker.ref()
    pending.deadline = setTimeout(() => this.#tooSlow(worker, pending), this.#jobMs)
    const { meta, blocks: sent } = pending.job
    const blocks = sent.map(ownBytes)
    tell(
      worker,
      { type: 'open', meta, blocks },
      blocks.map(({ buffer }) => buffer as ArrayBuffer),
    )
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { resourceLimits: { maxOldGenerationSizeMb: this.#heapMb } })
    let cause: NodeJS.ErrnoException | null = null
    worker.on('message', (message: FromWorker) => this.#onMessage(worker, message))
    worker.on('error', (error) => {
      cause = error as NodeJS.ErrnoException
    })
    worker.on('exit', () => this.#onExit(worker, cause))
    return worker
  }

  #onMessage(worker: Worker, message: FromWorker): void {
    const job = this.#busy.get(worker)
    if (!job) return
    if (message.type === 'key') {
      this.#answerKey(worker, job, message.key)
    } else if (message.type === 'done') {
      job.resolve({ records: message.records, project: job.project as ProjectSettings })
      this.#freed(worker)
    } else {
      job.reject(new ApiError(message.code, message.detail, { attr: message.attr }))
      this.#freed(worker)
    }
  }

  #answerKey(worker: Worker, job: Pending, key: string): void {
    job.job.findProject(key).then(
      (project) => {
        job.project = project
        const { id, anonymizeIps, recordingsLimited = false, cookielessSalt, honorDoNotTrack = false } = project
        // Required: a setting that is missing here would not hold for large bodies.
        const settings: { [K in keyof Required<CaptureSettings>]: CaptureSettings[K] } = {
          id,
          anonymizeIps,
          recordingsLimited,
          cookielessSalt,
          honorDoNotTrack,
        }
        tell(worker, { type: 'project', project: settings })
      },
      (error: unknown) => {
        job.reject(error)
        tell(worker, { type: 'project', project: null })
        this.#freed(worker)
      },
    )
  }

  /** A thread without work does not keep the process alive. */
  #freed(worker: Worker): void {
    clearTimeout(this.#busy.get(worker)?.deadline)
    if (!this.#busy.delete(worker)) return
    worker.unref()
    this.#free.push(worker)
    this.#next()
  }

  #tooSlow(worker: Worker, job: Pending): void {
    job.reject(new ApiError('body_too_large', 'The request takes too long to read: send it in several requests.'))
    void worker.terminate()
  }

  #onExit(worker: Worker, cause: NodeJS.ErrnoException | null): void {
    const job = this.#busy.get(worker)
    clearTimeout(job?.deadline)
    this.#busy.delete(worker)
    if (cause) process.emitWarning(`a capture worker died: ${cause.stack ?? cause.message}`)
    const at = this.#free.indexOf(worker)
    if (at >= 0) this.#free.splice(at, 1)
    job?.reject(
      cause?.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new ApiError('body_too_large', 'The request needs too much memory to be read: send it in several requests.')
        : new ApiError('unavailable', undefined, { retryAfterSeconds: 5 }),
    )
    if (!this.#closed) this.#next()
  }
}

const clientOf = ({ owner, sender }: QueueKey): Client => ({ address: sender || null, project: Number(owner) || null })

const overloaded = () => new ApiError('overloaded', undefined, { retryAfterSeconds: 5 })

const tell = (worker: Worker, message: ToWorker, transfer: ArrayBuffer[] = []): void =>
  worker.postMessage(message, transfer)

/** The bytes in a buffer of their own, which can be transferred to a thread without copying. */
const ownBytes = (bytes: Buffer): Buffer =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
