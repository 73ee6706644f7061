/**
 * How fast the embedded log takes durable appends, beside the least that could be done: appending the same bytes to one file with one
 * fdatasync a group, without frames, checksums, limits or readers. Run it with `node bench/run.mjs log`.
 */
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { allPartitions, livePartitions, openSegmentLog, openSegmentReader } from '../src/log/index.ts'

const LIVE = livePartitions(2)
const RECORD = Buffer.alloc(1024, 'x')
const ROUND_MS = 700
const ROUNDS = 3

interface Figures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

type Append = () => Promise<void>

async function measure(clients: number, append: Append): Promise<Figures> {
  const until = performance.now() + ROUND_MS
  const latencies: number[] = []
  const startedAt = performance.now()
  const client = async () => {
    for (let now = performance.now(); now < until; ) {
      await append()
      const after = performance.now()
      latencies.push(after - now)
      now = after
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { perSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** The bare loop: whoever waits shares the next write and sync. */
async function bareFile(dir: string): Promise<{ append: Append; close(): Promise<void> }> {
  const file = await open(path.join(dir, 'bare'), 'w')
  let position = 0
  let waiting: { buffers: Buffer[]; done: Promise<void>; resolve: () => void } | null = null
  let running = false
  const run = async () => {
    running = true
    await new Promise(setImmediate)
    while (waiting !== null) {
      const { buffers, resolve } = waiting
      waiting = null
      const bytes = Buffer.concat(buffers)
      await file.write(bytes, 0, bytes.length, position)
      await file.datasync()
      position += bytes.length
      resolve()
      await new Promise(setImmediate)
    }
    running = false
  }
  return {
    append() {
      if (waiting === null) {
        let resolve = () => {}
        const done = new Promise<void>((settle) => {
          resolve = settle
        })
        waiting = { buffers: [], done, resolve }
      }
      waiting.buffers.push(RECORD)
      const { done } = waiting
      if (!running) void run()
      return done
    },
    close: () => file.close(),
  }
}

const best = (figures: Figures[]) => figures.reduce((a, b) => (b.perSecond > a.perSecond ? b : a))
const line = ({ perSecond, p50Ms, p99Ms }: Figures) =>
  `${Math.round(perSecond).toLocaleString('en').padStart(9)}/s  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms`

const dir = await mkdtemp(path.join(tmpdir(), 'footfall-bench-log-'))
try {
  for (const clients of [1, 32, 256]) {
    const bare: Figures[] = []
    const ours: Figures[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const file = await bareFile(dir)
      bare.push(await measure(clients, file.append))
      await file.close()
      const log = await openSegmentLog({ dir: path.join(dir, `log-${clients}-${round}`), partitions: allPartitions(2) })
      let turn = 0
      ours.push(
        await measure(clients, () =>
          log.append([{ partition: LIVE[turn++ % LIVE.length] as string, payload: RECORD }]),
        ),
      )
      if (clients === 256 && round === ROUNDS - 1) await measureReading(log)
      await log.close()
      await rm(path.join(dir, `log-${clients}-${round}`), { recursive: true })
    }
    console.log(`${String(clients).padStart(3)} clients, 1 kB   bare ${line(best(bare))}`)
    console.log(`                     log  ${line(best(ours))}`)
    console.log(`                     log / bare = ${(best(ours).perSecond / best(bare).perSecond).toFixed(2)}`)
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}

async function measureReading(log: Awaited<ReturnType<typeof openSegmentLog>>): Promise<void> {
  const reader = openSegmentReader(log.readerHandle())
  const startedAt = performance.now()
  let records = 0
  for (const partition of LIVE) {
    let from = 0
    for (;;) {
      const range = await reader.read(partition, from, { bytes: 1 << 20, records: 10_000 })
      if (range.records.length === 0) break
      records += range.records.length
      from = range.next
    }
  }
  const seconds = (performance.now() - startedAt) / 1000
  console.log(
    `reading back ${records.toLocaleString('en')} records: ${Math.round(records / seconds).toLocaleString('en')}/s`,
  )
  await reader.close()
}
