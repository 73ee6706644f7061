import { setTimeout as delay } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ALL, entry, texts } from '../../../test/support/log-folder.ts'
import { startTestNats, type TestNats } from '../../../test/support/nats.ts'
import { openReader, openWriter, PATIENT } from '../../../test/support/nats-log.ts'
import type { Position } from '../port.ts'
import { streamOf } from './names.ts'

/**
 * Most servers of a cluster crash: what was acknowledged is there afterwards, whichever of them leads then. Debian's
 * NATS 2.9.10 loses messages when a stream was purged before, or has recognised one that was sent again.
 */
let nats: TestNats
beforeAll(async () => {
  nats = await startTestNats({ nodes: 3 })
})
beforeEach(() => nats.wipe())
afterAll(() => nats?.stop())

async function crash(whileAway = async () => {}): Promise<void> {
  await Promise.all([1, 2].map((node) => nats.kill9(node)))
  await whileAway()
  for (const node of [1, 2]) await nats.restart(node)
}

/**
 * What is read from a position on, for each server that leads the stream. A server that has just become the leader may
 * take a moment to have everything, and a read may bring only some of it: both are asked again.
 */
async function readUnderEachLeader(from: Position, count: number): Promise<Record<string, string[]>> {
  const connection = await connect({ servers: nats.url.split(',') })
  onTestFinished(() => connection.close())
  const { streams } = await jetstreamManager(connection)
  const leader = async () => (await streams.info(streamOf('a')).catch(() => null))?.cluster?.leader
  const reader = await openReader(nats, { ...PATIENT, lostAfterMs: Number.POSITIVE_INFINITY })
  const read: Record<string, string[]> = {}
  const complete = () => Object.values(read).filter((records) => records.length >= count).length === 3
  for (let turn = 0; !complete() && turn < 1_000; turn++) {
    const leads = await leader()
    const range = leads ? await reader.read('a', from, ALL).catch(() => null) : null
    // It may have changed meanwhile.
    if (leads && range && leads === (await leader())) {
      read[leads] = texts(range.records).map((text) => text.slice(0, 9))
      if (range.records.length >= count)
        await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${streamOf('a')}`).catch(() => {})
    }
    await delay(250)
  }
  return read
}

test.each([
  ['small', ''],
  ['large', 'x'.repeat(1_500_000)],
])('%s records that were not released are there, also when others were released and more came', async (_, more) => {
  const writer = await openWriter(nats)
  const write = async (texts: readonly string[]) => {
    for (const text of texts) await writer.append([entry('a', `${text}${more}`)])
  }
  const named = (what: string) => Array.from({ length: 4 }, (_, i) => `${what} ${i}`.padEnd(9, '.'))
  await write([...named('old'), ...named('unread')])
  const reader = await openReader(nats, PATIENT)
  const from = (await reader.read('a', 0, ALL)).records[4]?.position ?? 0
  await reader.release('a', from)
  await expect
    .poll(async () => {
      await writer.refresh?.()
      return writer.status().partitions.a?.released
    })
    .toBe(from)
  await write(named('later'))
  await crash()
  const all = [...named('unread'), ...named('later')]
  expect(await readUnderEachLeader(from, all.length)).toEqual({ 'node-0': all, 'node-1': all, 'node-2': all })
})

test('twice in the middle of a load: all that was acknowledged is read, and nothing that was read before comes again', async () => {
  const writers = await Promise.all([1, 2].map(() => openWriter(nats, { giveUpMs: 5_000, patienceMs: 1_000 })))
  const reader = await openReader(nats)
  const [taken, read, again] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const unread = () => [...taken].filter((text) => !read.has(text))
  let refused = 0
  let readBefore = new Set<string>()
  const [written, done] = [new AbortController(), new AbortController()]
  onTestFinished(() => {
    written.abort()
    done.abort()
  })
  const writing = writers.map(async (writer, i) => {
    for (let n = 0; !written.signal.aborted; n++) {
      const text = `${i} ${n}`
      await writer.append([entry(n % 2 === 0 ? 'a' : 'b', text)]).then(
        () => taken.add(text),
        () => refused++,
      )
      await delay(5)
    }
  })
  const reading = ['a', 'b'].map(async (partition) => {
    for (let from = 0; !done.signal.aborted; await delay(5)) {
      const range = await reader.read(partition, from, ALL).catch(() => null)
      if (range === null) continue
      for (const text of texts(range.records)) {
        if (readBefore.has(text)) again.add(text)
        read.add(text)
      }
      from = range.next
      await reader.release(partition, from)
    }
  })
  for (let round = 0; round < 2; round++) {
    const before = taken.size
    await expect.poll(() => taken.size).toBeGreaterThan(before + 100)
    // What was stored twice, because its answer was lost, has been read twice when everything taken so far was read.
    const known = [...taken]
    await expect.poll(() => known.every((text) => read.has(text))).toBe(true)
    readBefore = new Set(known)
    const refusedBefore = refused
    await crash(() => expect.poll(() => refused).toBeGreaterThan(refusedBefore))
  }
  await expect.poll(() => writers.every((writer) => writer.status().writable)).toBe(true)
  written.abort()
  await Promise.all(writing)
  await expect.poll(unread).toEqual([])
  done.abort()
  await Promise.all(reading)
  expect([...again]).toEqual([])
})
