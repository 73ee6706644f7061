import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'
import { KEYS, type TestService, TOKENS } from './service.ts'
import { slowdown } from './slowdown.ts'

/**
 * Attacks a running service while an honest client of another project sends events and asks a small question, and reports what that
 * client noticed. Start the service with `HOSTILE_ENV`: the attacker and the honest client then have addresses of their own.
 */
export const HOSTILE_ENV = { FOOTFALL_TRUSTED_PROXIES: '127.0.0.1' } as const
export const ATTACKER = { 'x-forwarded-for': '203.0.113.66' } as const
export const HONEST = { 'x-forwarded-for': '198.51.100.7' } as const

interface Measured {
  /** Answers that were not 200, and connections that broke, in words. */
  readonly failures: readonly string[]
  /** Milliseconds of each honest event, sorted. */
  readonly capture: readonly number[]
  /** The same of a batch of 285 KB each second. */
  readonly batch: readonly number[]
  readonly question: readonly number[]
  /** From sending an event until a question counts it, the longest. */
  readonly countableMs: number
}

export interface HostileReport {
  readonly quiet: Measured
  readonly during: Measured
  /** How much slower others on the machine made everything while it was attacked. */
  readonly slowdown: number
  /** Heap and buffers of the service, in MB. */
  readonly memory: { readonly before: number; readonly after: number }
}

/** Gets a signal that ends when the time is over; may end before. Must leave nothing running. */
export type Attack = (service: TestService, over: AbortSignal) => Promise<void>

interface HostileOptions {
  /** How long the attack may take at most. */
  readonly seconds?: number
}

const EVERY_MS = 50

/** 285 KB: more than what is read at once, far less than what is allowed. */
const BATCH = JSON.stringify({
  api_key: TOKENS.two,
  batch: Array.from({ length: 500 }, (_, n) => ({
    event: 'honest batch',
    distinct_id: `somebody ${n % 10}`,
    properties: { n, text: 'x'.repeat(480) },
  })),
})

export async function underAttack(
  service: TestService,
  attack: Attack,
  { seconds = 8 }: HostileOptions = {},
): Promise<HostileReport> {
  await countable(service)
  const quiet = await measured(service, delay(1_500))
  const before = await memoryMb(service)
  const attacked = attack(service, AbortSignal.timeout(seconds * 1_000))
  const measuring = measured(service, attacked)
  const [during, slower] = await Promise.all([measuring, slowdown(measuring)])
  const after = await settledMemory(service, before)
  const quietAfter = await measured(service, delay(1_500))
  return { quiet: slowerOf(quiet, quietAfter), during, slowdown: slower, memory: { before, after } }
}

/** Before and after, whichever was slower: other work on the machine comes and goes. */
const slowerOf = (a: Measured, b: Measured): Measured => ({
  failures: [...a.failures, ...b.failures],
  capture: slowerTimes(a.capture, b.capture),
  batch: slowerTimes(a.batch, b.batch),
  question: slowerTimes(a.question, b.question),
  countableMs: Math.max(a.countableMs, b.countableMs),
})

const slowerTimes = (a: readonly number[], b: readonly number[]): readonly number[] =>
  percentile(a, 0.99) > percentile(b, 0.99) ? a : b

/** What an attack must not change for others: milliseconds, on a machine of the service's own. */
const BOUNDS = { capture: 1_000, batch: 3_000, question: 3_000, countable: 10_000 }

/** Ten times what it takes without the attack is allowed too. */
export function expectUnharmed({ quiet, during, slowdown, memory }: HostileReport): void {
  const allowed = (bound: number, quietMs: number) => Math.max(bound * slowdown, 10 * quietMs)
  expect(during.failures).toEqual([])
  expect(percentile(during.capture, 0.99)).toBeLessThan(allowed(BOUNDS.capture, percentile(quiet.capture, 0.99)))
  expect(percentile(during.batch, 1)).toBeLessThan(allowed(BOUNDS.batch, percentile(quiet.batch, 1)))
  expect(percentile(during.question, 1)).toBeLessThan(allowed(BOUNDS.question, percentile(quiet.question, 1)))
  expect(during.countableMs).toBeLessThan(allowed(BOUNDS.countable, quiet.countableMs))
  expect(memory.after).toBeLessThan(memory.before + MEMORY_SLACK_MB)
}

const MEMORY_SLACK_MB = 200

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** In one line, for a person to read. */
export function reportLine({ quiet, during, slowdown, memory }: HostileReport): string {
  const of = ({ capture, batch, question, countableMs, failures }: Measured) =>
    `${capture.length} events p50 ${ms(percentile(capture, 0.5))} p99 ${ms(percentile(capture, 0.99))}, batch ${ms(percentile(batch, 1))}, question ${ms(percentile(question, 1))}, countable ${ms(countableMs)}, ${failures.length} failed`
  return `quiet: ${of(quiet)}; attacked: ${of(during)}; others slowed it down ${slowdown.toFixed(1)} times; memory ${Math.round(memory.before)} -> ${Math.round(memory.after)} MB`
}

const ms = (value: number): string => `${Math.round(value)} ms`

/** What the honest client notices until `over` settles. */
async function measured(service: TestService, over: Promise<unknown>): Promise<Measured> {
  const query = JSON.stringify({
    query: { kind: 'HogQLQuery', query: 'SELECT count() FROM events' },
    refresh: 'force_blocking',
  })
  const client = new Worker(new URL('./honest-client.mjs', import.meta.url), {
    workerData: {
      url: service.url,
      headers: HONEST,
      everyMs: EVERY_MS,
      event: JSON.stringify({ api_key: TOKENS.two, event: 'honest', distinct_id: 'somebody' }),
      batch: BATCH,
      question: { path: QUERY_PATH, headers: ASKING, body: query },
    },
  })
  const told = once(client, 'message') as Promise<[Omit<Measured, 'countableMs'>]>
  const counting = countable(service)
  await over
  client.postMessage('stop')
  const [countableMs, [noticed]] = await Promise.all([counting, told])
  await client.terminate()
  return { ...noticed, countableMs }
}

const QUERY_PATH = '/api/environments/2/query/'
const ASKING = { ...HONEST, 'content-type': 'application/json', authorization: `Bearer ${KEYS.projectTwo}` }

let marker = 0

async function countable(service: TestService): Promise<number> {
  const name = `marker ${process.pid} ${++marker}`
  const started = performance.now()
  const event = JSON.stringify({ api_key: TOKENS.two, event: name, distinct_id: 'somebody' })
  const { status, text } = await post(service, '/i/v0/e/', event, { headers: HONEST })
  if (status !== 200) throw new Error(`an honest event was answered ${status}: ${text}`)
  await service.waitFor(async () => {
    const answer = await ask(service, `SELECT count() FROM events WHERE event = '${name}'`)
    return answer.text.includes('"results":[[1]]')
  }, `${name} to be countable`)
  return performance.now() - started
}

const ask = (service: TestService, query: string): Promise<Reply> =>
  post(service, QUERY_PATH, JSON.stringify({ query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' }), {
    headers: ASKING,
  })

export interface Reply {
  /** 0 when the connection broke. */
  readonly status: number
  readonly text: string
  readonly headers: http.IncomingHttpHeaders
}

/** One request, whatever becomes of it. */
export function post(
  { url }: TestService,
  path: string,
  body: string | Uint8Array,
  { headers = {} }: { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, text: error.message, headers: {} })
    const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
    const request = http.request(url + path, { method: 'POST', headers: sent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', failed)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: answer.headers }),
      )
    })
    request.on('error', failed)
    request.end(body)
  })
}

const IN_USE = /^footfall_nodejs_(?:heap_size_used|external_memory)_bytes (\S+)/gm

async function memoryMb({ url }: TestService): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return [...metrics.matchAll(IN_USE)].reduce((sum, [, bytes]) => sum + Number(bytes), 0) / 1024 / 1024
}

/** What is left once garbage was collected: the least within some seconds. */
async function settledMemory(service: TestService, before: number): Promise<number> {
  let least = await memoryMb(service)
  for (let look = 0; look < 160 && least > before + MEMORY_SLACK_MB / 2; look++) {
    await delay(250)
    least = Math.min(least, await memoryMb(service))
  }
  return least
}
