import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ALL, entry, texts } from '../../../test/support/log-folder.ts'
import { startTestNats, type TestNats } from '../../../test/support/nats.ts'
import { openReader, openWriter, PATIENT } from '../../../test/support/nats-log.ts'
import { LogUnavailable } from '../port.ts'
import { openJetstreamLog } from './writer.ts'

let nats: TestNats
beforeAll(async () => {
  nats = await startTestNats()
})
beforeEach(() => nats.wipe())
afterAll(() => nats?.stop())

test('several writers append at the same time, and each of their records is there once, in its own order', async () => {
  const writers = await Promise.all(Array.from({ length: 3 }, () => openWriter(nats)))
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let turn = 0; turn < 30; turn++)
        await Promise.all([0, 1, 2].map((n) => writer.append([entry('a', `${i}:${turn * 3 + n}`)])))
    }),
  )
  const reader = await openReader(nats, PATIENT)
  const found = texts((await reader.read('a', 0, ALL)).records).map((text) => text.split(':').map(Number))
  for (const i of writers.keys())
    expect(found.filter(([writer]) => writer === i).map(([, n]) => n)).toEqual(Array.from({ length: 90 }, (_, n) => n))
  expect(found.length).toBe(270)
})

test('while the server is away appends wait, then are refused, and nothing that was acknowledged is lost', async () => {
  const writer = await openWriter(nats, { giveUpMs: 3_000, patienceMs: 2_000 })
  const reader = await openReader(nats)
  await writer.append([entry('a', 'before')])
  const taken = new Set<string>(['before'])
  const refused: unknown[] = []
  await nats.kill9()
  for (let i = 0; refused.length < 3 && i < 1_000; i++) {
    const text = `while away ${i}`
    const outcome = writer.append([entry('a', text)]).then(
      () => taken.add(text),
      (error: unknown) => refused.push(error),
    )
    await Promise.race([outcome, new Promise((again) => setTimeout(again, 100))])
  }
  expect(refused.every((error) => error instanceof LogUnavailable)).toBe(true)
  expect(writer.status()).toMatchObject({ writable: false, reason: expect.stringContaining('NATS') })
  await nats.restart()
  await expect.poll(() => writer.status().writable).toBe(true)
  await writer.append([entry('a', 'after')])
  taken.add('after')
  const found: string[] = []
  for (let from = 0; !found.includes('after'); ) {
    const range = await reader.read('a', from, ALL).catch(() => null)
    if (range) found.push(...texts(range.records))
    from = range?.next ?? from
  }
  expect([...taken].filter((text) => !found.includes(text))).toEqual([])
})

test('more than fits the buffer is refused at once while nobody answers', async () => {
  const writer = await openWriter(nats, { bufferedLimitBytes: 1_000, giveUpMs: 1_000 })
  await nats.kill9()
  const first = writer.append([entry('a', 'x'.repeat(900))]).catch((error: unknown) => error)
  await expect(writer.append([entry('a', 'y'.repeat(900))])).rejects.toThrow(LogUnavailable)
  expect(await first).toBeInstanceOf(LogUnavailable)
  await nats.restart()
})

test('a stream that was deleted under a running writer is made anew, above what consumers have applied', async () => {
  let applied = 0
  const writer = await openWriter(nats, { released: async () => ({ a: applied }) })
  const reader = await openReader(nats, PATIENT)
  for (let i = 0; i < 5; i++) await writer.append([entry('a', `old ${i}`)])
  applied = (await reader.read('a', 0, ALL)).next
  await nats.wipe()
  await writer.append([entry('a', 'new')])
  const late = await openReader(nats, PATIENT)
  expect(texts((await late.read('a', applied, ALL)).records)).toEqual(['new'])
})

test('a server that does not answer stops the start with the reason', async () => {
  await nats.kill9()
  await expect(openJetstreamLog({ url: nats.url, partitions: ['a'], connectWithinMs: 300 })).rejects.toThrow(
    'NATS does not answer',
  )
  await nats.restart()
})
