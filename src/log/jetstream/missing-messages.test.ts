import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ALL, entry, texts } from '../../../test/support/log-folder.ts'
import { startTestNats, type TestNats } from '../../../test/support/nats.ts'
import { openReader, openWriter, PATIENT } from '../../../test/support/nats-log.ts'
import { encodeRecords, encodeReference } from './message.ts'
import { LARGE_STREAM, largeSubject, streamOf, subjectOf } from './names.ts'
import { positionOf } from './places.ts'

/** A leader that has just been elected may lack messages that the one before had. */
let nats: TestNats
beforeAll(async () => {
  nats = await startTestNats()
})
beforeEach(() => nats.wipe())
afterAll(() => nats?.stop())

async function direct() {
  const connection = await connect({ servers: nats.url })
  onTestFinished(() => connection.close())
  return { client: jetstream(connection), ...(await jetstreamManager(connection)) }
}

/** The message of a large record is in the stream, its only piece comes with `piece`. */
async function appendWithoutPiece(text: string): Promise<{ piece(): Promise<unknown> }> {
  const { client, streams } = await direct()
  const body = encodeRecords([Buffer.from(text)])
  const { last_seq } = (await streams.info(LARGE_STREAM)).state
  const reference = { id: 'late', sequences: [last_seq + 1], bytes: body.length }
  await client.publish(subjectOf('a'), encodeReference(reference))
  return { piece: () => client.publish(largeSubject('a', 'late'), body) }
}

const WAITING = { lostAfterMs: Number.POSITIVE_INFINITY, bringWithinMs: 1_000 }
const PASSING = { ...PATIENT, lostAfterMs: 0 }

test('a large record is read when its pieces are there, and nothing behind it before', async () => {
  const writer = await openWriter(nats)
  const { piece } = await appendWithoutPiece('large')
  await writer.append([entry('a', 'behind')])
  const reader = await openReader(nats, WAITING)
  await expect(reader.read('a', 0, ALL)).rejects.toThrow('NATS does not bring what is in the log')
  await piece()
  await expect
    .poll(() => reader.read('a', 0, ALL).then(({ records }) => texts(records), String))
    .toEqual(['large', 'behind'])
})

test('a large record whose pieces are lost does not keep back what is behind it', async () => {
  const writer = await openWriter(nats)
  await appendWithoutPiece('large')
  await writer.append([entry('a', 'behind')])
  const reader = await openReader(nats, PASSING)
  expect(texts((await reader.read('a', 0, ALL)).records)).toEqual(['behind'])
})

test('a message that is missing between others is waited for, until it counts as lost', async () => {
  const writer = await openWriter(nats)
  for (const text of ['first', 'missing', 'last']) await writer.append([entry('a', text)])
  await (await direct()).streams.deleteMessage(streamOf('a'), 2, false)
  const waiting = await openReader(nats, WAITING)
  await expect(waiting.read('a', positionOf(2), ALL)).rejects.toThrow('NATS does not bring what is in the log')
  const passing = await openReader(nats, PASSING)
  expect(texts((await passing.read('a', 0, ALL)).records)).toEqual(['first', 'last'])
})

test('a read never takes another one further on for its end', async () => {
  const writer = await openWriter(nats)
  const all = Array.from({ length: 40 }, (_, i) => String(i))
  for (const text of all) await writer.append([entry('a', text)])
  const reader = await openReader(nats, PATIENT)
  const { next } = await reader.read('a', 0, ALL)
  const stop = new AbortController()
  // As a pipeline that reads ahead, and is not told that its run has failed.
  const ahead = reader.wait('a', next, stop.signal).then(() => reader.read('a', next, ALL))
  const again = await reader.read('a', 0, ALL).then(
    ({ records }) => texts(records),
    () => 'refused',
  )
  expect([all, 'refused']).toContainEqual(again)
  stop.abort()
  await ahead.catch(() => {})
})
