import { stat, truncate } from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crashedCopy, logFolder, segmentFiles } from '../../../test/support/log-folder.ts'
import type { LogReader } from '../port.ts'
import { openSegmentLog } from './open.ts'
import { openSegmentReader } from './reader.ts'
import type { SegmentLog } from './writer.ts'

/** The log beside a model of it: an array of payloads a partition, and how far each consumer has read and released. */
const PARTITIONS = ['a', 'b', 'c']
const partition = fc.constantFrom(...PARTITIONS)
const entries = fc.array(fc.record({ partition, size: fc.nat({ max: 200 }) }), { minLength: 1, maxLength: 4 })
const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      appends: fc.array(entries, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      partition,
      records: fc.integer({ min: 1, max: 6 }),
      bytes: fc.nat({ max: 600 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), partition }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      appends: fc.array(entries, { maxLength: 3 }),
      keepPercent: fc.nat({ max: 100 }),
    }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** One partition: all its records, and how far its consumer has come in them. */
class Consumer {
  readonly texts: string[] = []
  read = 0
  position = 0
  releasedRead = 0
  released = 0
  /** Which record stood at a position when it was read. */
  readonly positions = new Map<number, string>()
}

class Trial {
  dir = ''
  log!: SegmentLog
  reader!: LogReader
  serial = 0
  readonly model = new Map(PARTITIONS.map((name) => [name, new Consumer()]))

  async open(dir: string): Promise<void> {
    this.dir = dir
    const released = Object.fromEntries([...this.model].map(([name, { released }]) => [name, released]))
    this.log = await openSegmentLog({ dir, partitions: PARTITIONS, released, reserveBytes: 0, segmentBytes: 900 })
    this.reader = openSegmentReader(this.log.readerHandle(), { blockBytes: 256 })
    // A consumer that comes back starts where it had released.
    for (const state of this.model.values()) {
      state.read = state.releasedRead
      state.position = state.released
    }
  }

  async close(): Promise<void> {
    await this.reader.close()
    await this.log.close()
  }

  make(appends: readonly { partition: string; size: number }[][]) {
    return appends.map((entries) =>
      entries.map(({ partition, size }) => ({ partition, text: `${this.serial++}:${'.'.repeat(size)}` })),
    )
  }

  send = (made: { partition: string; text: string }[]) =>
    this.log.append(made.map(({ partition, text }) => ({ partition, payload: Buffer.from(text) })))

  async run(step: Command): Promise<void> {
    if (step.do === 'append') {
      const made = this.make(step.appends)
      await Promise.all(made.map(this.send))
      for (const { partition, text } of made.flat()) this.model.get(partition)?.texts.push(text)
    } else if (step.do === 'read') {
      const state = this.model.get(step.partition) as Consumer
      const range = await this.reader.read(step.partition, state.position, step)
      if (state.read < state.texts.length) expect(range.records.length).toBeGreaterThan(0)
      expect(range.records.length).toBeLessThanOrEqual(step.records)
      for (const { position, payload } of range.records) {
        expect(payload.toString()).toBe(state.texts[state.read++])
        expect(position).toBeGreaterThanOrEqual(state.position)
        expect(state.positions.get(position) ?? payload.toString()).toBe(payload.toString())
        state.positions.set(position, payload.toString())
      }
      expect(range.next).toBeGreaterThanOrEqual(state.position)
      state.position = range.next
    } else if (step.do === 'release') {
      const state = this.model.get(step.partition) as Consumer
      await this.reader.release(step.partition, state.position)
      state.released = state.position
      state.releasedRead = state.read
    } else if (step.do === 'reopen') {
      await this.close()
      await this.open(this.dir)
    } else await this.crash(step)
  }

  /** Appends are under way when the process dies; of the bytes behind the durable end some prefix reached the disk. */
  async crash(step: Command & { do: 'crash' }): Promise<void> {
    const before = await lastSegment(this.dir)
    const made = this.make(step.appends)
    await Promise.all(made.map(this.send))
    const copy = await crashedCopy(this.dir)
    const after = await lastSegment(copy)
    // Not when a fresh segment was begun meanwhile: that happens only behind a durable one.
    if (after.name === before.name)
      await truncate(
        path.join(copy, after.name),
        before.size + Math.floor(((after.size - before.size) * step.keepPercent) / 100),
      )
    await this.close()
    const kept = await this.survivors(copy)
    let whole = true
    for (const append of made) {
      const present = append.filter(({ text }) => kept.has(text)).length
      expect([0, append.length]).toContain(present)
      // In order: no append survives behind one that did not.
      if (present === 0) whole = false
      else expect(whole).toBe(true)
      if (present > 0) for (const { partition, text } of append) this.model.get(partition)?.texts.push(text)
    }
    await this.open(copy)
  }

  /** At last every consumer reads what is left. */
  async drain(): Promise<void> {
    for (const [name, state] of this.model) {
      const { records } = await this.reader.read(name, state.position, { bytes: 1e9, records: 1e9 })
      expect(records.map(({ payload }) => payload.toString())).toEqual(state.texts.slice(state.read))
    }
  }

  async survivors(dir: string): Promise<Set<string>> {
    const log = await openSegmentLog({ dir, partitions: PARTITIONS, reserveBytes: 0 })
    const reader = openSegmentReader(log.readerHandle())
    const all = new Set<string>()
    for (const name of PARTITIONS) {
      const { records } = await reader.read(name, 0, { bytes: 1e9, records: 1e9 })
      for (const { payload } of records) all.add(payload.toString())
    }
    await reader.close()
    await log.close()
    return all
  }
}

async function lastSegment(dir: string): Promise<{ name: string; size: number }> {
  const file = (await segmentFiles(dir)).at(-1) as string
  return { name: path.basename(file), size: (await stat(file)).size }
}

test('any sequence of appends, reads, releases, restarts and crashes gives every record once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const trial = new Trial()
      await trial.open(await logFolder())
      try {
        for (const step of steps) await trial.run(step)
        await trial.drain()
        expect(trial.log.status().damage.places).toBe(0)
      } finally {
        await trial.close()
      }
    }),
    { numRuns: 30 },
  )
})
