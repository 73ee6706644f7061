import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type LogReader, LogUnavailable, type LogWriter, type Position } from '../../src/log/index.ts'
import { ALL, entry, texts } from './log-folder.ts'

/** A place for a log, fresh for each test: opened, closed and opened again. */
interface LogPlace {
  open(options?: LogPlaceOptions): Promise<OpenedLog>
  /** Everything in it is gone, as after a lost disk. */
  lose(): Promise<void>
}

interface LogPlaceOptions {
  readonly released?: Readonly<Record<string, Position>>
  readonly backlogLimitBytes?: number
}

interface OpenedLog {
  readonly writer: LogWriter
  reader(): Promise<LogReader>
}

/** What is true of every log, wherever it keeps its records. Partitions are a, b and c. */
export function logContract(name: string, makePlace: () => Promise<LogPlace>): void {
  const open = async (place: LogPlace, options?: LogPlaceOptions) => {
    const { writer, reader: openReader } = await place.open(options)
    const reader = await openReader()
    const close = async () => {
      await reader.close()
      await writer.close()
    }
    onTestFinished(close)
    return { writer, reader, close }
  }
  const fresh = async (options?: LogPlaceOptions) => open(await makePlace(), options)

  describe(`a log in ${name}`, () => {
    test('an append resolves when it is durable and readable, in order, each partition by itself', async () => {
      const { writer, reader } = await fresh()
      await writer.append([entry('a', 'one'), entry('b', 'two'), entry('a', 'three')])
      expect(texts((await reader.read('a', 0, ALL)).records)).toEqual(['one', 'three'])
      expect(texts((await reader.read('b', 0, ALL)).records)).toEqual(['two'])
      expect(await reader.read('c', 0, ALL)).toMatchObject({ from: 0, records: [] })
    })

    test('appends that do not wait for each other stand in the order in which they were made', async () => {
      const { writer, reader } = await fresh()
      const sent = Array.from({ length: 500 }, (_, i) => `${i} ${'x'.repeat(i % 97)}`)
      for (let i = 0; i < sent.length; i += 50)
        await Promise.all(sent.slice(i, i + 50).map((text) => writer.append([entry('a', text)])))
      expect(texts((await reader.read('a', 0, ALL)).records)).toEqual(sent)
    })

    test('a read keeps to its limits but returns at least one record', async () => {
      const { writer, reader } = await fresh()
      await writer.append(['1234', '5678', '9'].map((text) => entry('a', text)))
      const read = async (bytes: number, records: number) =>
        texts((await reader.read('a', 0, { bytes, records })).records)
      expect(await read(1, 10)).toEqual(['1234'])
      expect(await read(8, 10)).toEqual(['1234', '5678'])
      expect(await read(9, 2)).toEqual(['1234', '5678'])
      expect(await read(9, 10)).toEqual(['1234', '5678', '9'])
    })

    test('reading on from each next position gives every record once, with growing positions', async () => {
      const { writer, reader } = await fresh()
      const sent = Array.from({ length: 40 }, (_, i) => `${i}`)
      for (let i = 0; i < sent.length; i += 4) await writer.append(sent.slice(i, i + 4).map((text) => entry('a', text)))
      const found: string[] = []
      let last = -1
      for (let from = 0; found.length < sent.length; ) {
        const range = await reader.read('a', from, { bytes: 1e6, records: 3 })
        expect(range.records.length).toBeGreaterThan(0)
        for (const { position } of range.records) {
          expect(position).toBeGreaterThan(last)
          expect(position).toBeGreaterThanOrEqual(from)
          last = position
        }
        expect(range.next).toBeGreaterThan(last)
        found.push(...texts(range.records))
        from = range.next
      }
      expect(found).toEqual(sent)
    })

    test('at the end a read is empty, and goes on when there is more', async () => {
      const { writer, reader } = await fresh()
      await writer.append([entry('a', 'one')])
      const { next } = await reader.read('a', 0, ALL)
      expect(await reader.read('a', next, ALL)).toEqual({ partition: 'a', from: next, next, records: [] })
      await writer.append([entry('b', 'elsewhere')])
      const later = await reader.read('a', next, ALL)
      expect(later.records).toEqual([])
      await writer.append([entry('a', 'two')])
      expect(texts((await reader.read('a', later.next, ALL)).records)).toEqual(['two'])
    })

    test('a wait ends with a record of its own partition, not with one of another', async () => {
      const { writer, reader } = await fresh()
      const never = new AbortController()
      const ended: string[] = []
      const a = reader.wait('a', 0, never.signal).then(() => ended.push('a'))
      const b = reader.wait('b', 0, never.signal).then(() => ended.push('b'))
      await writer.append([entry('b', 'x')])
      await b
      expect(ended).toEqual(['b'])
      await writer.append([entry('a', 'x')])
      await a
      await reader.wait('a', 0, never.signal)
    })

    test('an aborted wait ends at once', async () => {
      const { reader } = await fresh()
      for (let i = 0; i < 20; i++) {
        const stop = new AbortController()
        const wait = reader.wait('a', 0, stop.signal)
        stop.abort()
        await wait
        await reader.wait('a', 0, stop.signal)
      }
    })

    test('positions go on growing over restarts', async () => {
      const place = await makePlace()
      let last = -1
      for (let run = 0; run < 4; run++) {
        const { writer, reader, close } = await open(place)
        await writer.append([entry('a', `run ${run}`)])
        const { records } = await reader.read('a', 0, ALL)
        expect(texts(records)).toEqual(Array.from({ length: run + 1 }, (_, i) => `run ${i}`))
        expect(records.at(-1)?.position).toBeGreaterThan(last)
        last = records.at(-1)?.position ?? 0
        await close()
      }
    })

    test('a record read again stands where it stood', async () => {
      const place = await makePlace()
      const first = await open(place)
      for (const text of ['one', 'two', 'three']) await first.writer.append([entry('a', text)])
      const before = await first.reader.read('a', 0, ALL)
      await first.close()
      const { reader } = await open(place)
      expect((await reader.read('a', 0, ALL)).records).toEqual(before.records)
      const second = before.records[1]?.position as Position
      expect((await reader.read('a', second, ALL)).records).toEqual(before.records.slice(1))
    })

    test('what is released no longer counts as backlog, and what comes later is read from there', async () => {
      const { writer, reader } = await fresh()
      for (let i = 0; i < 10; i++) await writer.append([entry('a', 'x'.repeat(100)), entry('b', 'y')])
      const a = await reader.read('a', 0, ALL)
      const b = await reader.read('b', 0, ALL)
      await expect.poll(() => writer.status().backlogBytes).toBeGreaterThan(1_000)
      await reader.release('a', a.next)
      await reader.release('b', b.next)
      await reader.release('a', 1)
      await expect.poll(() => writer.status().backlogBytes).toBe(0)
      expect(writer.status().partitions.a?.released).toBe(a.next)
      await writer.append([entry('a', 'later')])
      expect(texts((await reader.read('a', a.next, ALL)).records)).toEqual(['later'])
    })

    test('consumers ahead of a log that was lost do not miss what comes next', async () => {
      const place = await makePlace()
      const first = await open(place)
      for (let i = 0; i < 20; i++) await first.writer.append([entry('a', `${i}`), entry('b', `${i}`)])
      const released = { a: (await first.reader.read('a', 0, ALL)).next, b: 10_000_000 }
      await first.close()
      await place.lose()
      const { writer, reader } = await open(place, { released })
      await writer.append([entry('a', 'new in a'), entry('b', 'new in b')])
      for (const name of ['a', 'b'] as const) {
        const range = await reader.read(name, released[name], ALL)
        expect(texts(range.records)).toEqual([`new in ${name}`])
        expect(range.records[0]?.position).toBeGreaterThanOrEqual(released[name])
      }
      expect(writer.status().backlogBytes).toBeLessThan(1_000)
    })

    test('a backlog over its limit refuses appends until something is released', async () => {
      const { writer, reader } = await fresh({ backlogLimitBytes: 50_000 })
      const append = () => writer.append([entry('a', 'x'.repeat(5_000))])
      await expect.poll(() => append().catch((error: unknown) => error)).toBeInstanceOf(LogUnavailable)
      expect(writer.status().backlogLimitBytes).toBe(50_000)
      const range = await reader.read('a', 0, ALL)
      await reader.release('a', range.next)
      await expect
        .poll(() =>
          append().then(
            () => 'taken',
            () => 'refused',
          ),
        )
        .toBe('taken')
      expect((await reader.read('a', range.next, ALL)).records.length).toBe(1)
    })

    test('an unknown partition is an error and nothing of the append is written', async () => {
      const { writer, reader } = await fresh()
      await expect(writer.append([entry('a', 'one'), entry('nowhere', 'two')])).rejects.toThrow(
        "no partition 'nowhere'",
      )
      expect((await reader.read('a', 0, ALL)).records).toEqual([])
      await expect(reader.read('nowhere', 0, ALL)).rejects.toThrow("no partition 'nowhere'")
    })

    test('large records stand between small ones, whole and in order', async () => {
      const { writer, reader } = await fresh()
      const large = 'L'.repeat(3_000_000)
      const middle = 'M'.repeat(900_000)
      await Promise.all([
        writer.append([entry('a', 's'), entry('a', large), entry('b', 't')]),
        writer.append([entry('a', middle), entry('a', middle)]),
        writer.append([entry('a', 'end')]),
      ])
      const range = await reader.read('a', 0, ALL)
      expect(texts(range.records)).toEqual(['s', large, middle, middle, 'end'])
      const other = await reader.read('b', 0, ALL)
      expect(texts(other.records)).toEqual(['t'])
      await reader.release('a', range.next)
      await reader.release('b', other.next)
      await expect.poll(() => writer.status().backlogBytes).toBe(0)
    })

    test('close writes what was taken before it and refuses what comes after', async () => {
      const place = await makePlace()
      const { writer, reader } = await open(place)
      const taken = writer.append([entry('a', 'taken')])
      const closed = writer.close()
      await expect(writer.append([entry('a', 'late')])).rejects.toThrow(LogUnavailable)
      await Promise.all([taken, closed])
      await reader.close()
      const again = await open(place)
      expect(texts((await again.reader.read('a', 0, ALL)).records)).toEqual(['taken'])
    })

    test('any sequence of appends, reads, releases and restarts gives every record once and in order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
          await runSteps(await makePlace(), steps)
        }),
        { numRuns: 12 },
      )
    })
  })
}

const partition = fc.constantFrom('a', 'b')
const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      entries: fc.array(fc.record({ partition, size: fc.nat({ max: 200 }) }), { minLength: 1, maxLength: 6 }),
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
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

async function runSteps(place: LogPlace, steps: readonly Command[]): Promise<void> {
  const model = new Map(
    ['a', 'b'].map((name) => [name, { texts: [] as string[], read: 0, at: 0, releasedRead: 0, released: 0 }]),
  )
  let serial = 0
  const openBoth = async () => {
    const released = Object.fromEntries([...model].map(([name, state]) => [name, state.released]))
    const opened = await place.open({ released })
    return { writer: opened.writer, reader: await opened.reader() }
  }
  let { writer, reader } = await openBoth()
  const close = async () => {
    await reader.close()
    await writer.close()
  }
  try {
    for (const step of steps) {
      if (step.do === 'append') {
        const made = step.entries.map(({ partition: name, size }) => ({
          name,
          text: `${serial++}:${'.'.repeat(size)}`,
        }))
        await writer.append(made.map(({ name, text }) => entry(name, text)))
        for (const { name, text } of made) model.get(name)?.texts.push(text)
      } else if (step.do === 'reopen') {
        await close()
        ;({ writer, reader } = await openBoth())
        // A consumer that comes back starts where it had released.
        for (const state of model.values()) Object.assign(state, { read: state.releasedRead, at: state.released })
      } else {
        const state = model.get(step.partition)
        if (!state) continue
        if (step.do === 'release') {
          await reader.release(step.partition, state.at)
          Object.assign(state, { released: state.at, releasedRead: state.read })
        } else {
          const range = await reader.read(step.partition, state.at, step)
          if (state.read < state.texts.length) expect(range.records.length).toBeGreaterThan(0)
          expect(range.records.length).toBeLessThanOrEqual(step.records)
          expect(texts(range.records)).toEqual(state.texts.slice(state.read, state.read + range.records.length))
          state.read += range.records.length
          state.at = range.next
        }
      }
    }
    for (const [name, state] of model)
      expect(texts((await reader.read(name, state.at, ALL)).records)).toEqual(state.texts.slice(state.read))
  } finally {
    await close()
  }
}
