import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type Appended,
  type CaptureDeps,
  type ProjectDirectory,
  type ProjectSettings,
  registerCapture,
} from '../../src/capture/index.ts'
import {
  type CapturedEvent,
  type CapturedRecording,
  type CapturedRequest,
  decodeCaptured,
  decodeRecording,
  type Warning,
} from '../../src/events/index.ts'
import {
  allPartitions,
  type LogEntry,
  type LogStatus,
  LogUnavailable,
  type LogWriter,
  RECORDINGS_PARTITION,
} from '../../src/log/index.ts'

export const KEY = 'phc_test'

export const PROJECT: ProjectSettings = {
  id: 7,
  token: KEY,
  autocaptureOptOut: false,
  sessionRecordingOptIn: true,
  anonymizeIps: false,
}

/** Keeps what capture appended, for tests of capture alone. The real logs have tests of their own. */
export class RecordingLog implements LogWriter {
  readonly partitions = allPartitions(2)
  mayComeTwice = false
  readonly entries: LogEntry[] = []
  failure: Error | null = null

  async append(entries: readonly LogEntry[]): Promise<void> {
    const stores = this.failure === null || (this.failure instanceof LogUnavailable && this.failure.maybeStored)
    if (stores) this.entries.push(...entries)
    if (this.failure) throw this.failure
  }

  status(): LogStatus {
    return { writable: true, reason: null, backlogBytes: 0, backlogLimitBytes: 0, partitions: {} }
  }

  async close(): Promise<void> {}

  get requests(): CapturedRequest[] {
    return this.entries
      .filter(({ partition }) => partition !== RECORDINGS_PARTITION)
      .map(({ payload }) => decodeCaptured(Buffer.from(payload)))
  }

  get events(): CapturedEvent[] {
    return this.requests.flatMap(({ events }) => events)
  }

  get warnings(): Warning[] {
    return this.requests.flatMap(({ warnings }) => warnings)
  }

  get recordings(): CapturedRecording[] {
    return this.entries
      .filter(({ partition }) => partition === RECORDINGS_PARTITION)
      .map(({ payload }) => decodeRecording(Buffer.from(payload)))
  }

  /** Forgets everything, so that one server can serve many cases. */
  clear(): void {
    this.entries.length = 0
  }
}

export interface CaptureServer {
  readonly app: FastifyInstance
  readonly log: RecordingLog
  readonly url: string
  readonly appended: Appended[]
  readonly refused: { readonly code: string; readonly status: number }[]
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  stop(): Promise<void>
}

export async function startCaptureServer(
  options: { projects?: ProjectDirectory; ignoreTrailingSlash?: boolean } & Partial<CaptureDeps> = {},
): Promise<CaptureServer> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: options.ignoreTrailingSlash ?? false } })
  const log = new RecordingLog()
  const appended: Appended[] = []
  const refused: { code: string; status: number }[] = []
  await registerCapture(app, {
    log,
    livePartitions: 2,
    projects: {
      find: (token) => (token === KEY || token === 'phc_lab' ? { ...PROJECT, token } : undefined),
    },
    // Tests send more nonsense than any client does.
    refusalLimits: { free: 1_000_000, freeLarge: 1_000_000 },
    ...options,
    onAppended: (each) => appended.push(each),
    onRefused: (each) => refused.push(each),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    app,
    log,
    url,
    appended,
    refused,
    post: (path, body, headers = {}) => {
      const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
      return fetch(url + path, { method: 'POST', body: bytes as string, headers })
    },
    stop: () => app.close(),
  }
}
