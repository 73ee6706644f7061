import { expect, test } from 'vitest'
import { decodeCaptured, decodeRecording } from '../../events/index.ts'
import { type Json, parseJson } from '../../lib/json.ts'
import { HISTORICAL_PARTITION, livePartition, RECORDINGS_PARTITION } from '../../log/index.ts'
import { admit } from './admit.ts'
import { toRecords } from './records.ts'

const ARRIVAL = {
  project: 3,
  receivedAt: 1_794_702_139_712,
  sentAt: '2024-01-01',
  ip: '1.2.3.4',
  historical: false,
  livePartitions: 2,
}
const run = (items: Json[], arrival = ARRIVAL) => {
  const records = toRecords(admit(items, { now: arrival.receivedAt, engage: false, userAgent: undefined }), arrival)
  const requests = records.entries
    .filter(({ partition }) => partition !== RECORDINGS_PARTITION)
    .map(({ partition, payload }) => ({ partition, ...decodeCaptured(Buffer.from(payload)) }))
  return { records, requests }
}
const event = (distinct_id: string, n: Json = 0) => ({ event: 'a', distinct_id, properties: { n } })

test('each distinct id is in its partition, in order, and nothing is lost', () => {
  const ids = Array.from({ length: 50 }, (_, i) => `user-${i % 10}`)
  const { requests } = run(ids.map((id, n) => event(id, n)))
  expect(requests.length).toBe(2)
  for (const { partition, events, ...rest } of requests) {
    expect(rest).toMatchObject({ project: 3, sentAt: '2024-01-01', ip: '1.2.3.4', historical: false })
    for (const each of events) expect(partition).toBe(livePartition(2, 3, each.distinctId))
    const order = events.map(({ properties }) => properties.n as number)
    expect(order).toEqual([...order].sort((a, b) => a - b))
  }
  expect(requests.flatMap(({ events }) => events)).toHaveLength(50)
})

test('history is one lane', () => {
  const { requests } = run([event('a'), event('b'), event('c')], { ...ARRIVAL, historical: true })
  expect(requests.map(({ partition, historical, events }) => [partition, historical, events.length])).toEqual([
    [HISTORICAL_PARTITION, true, 3],
  ])
})

test('a large request becomes several records of bounded size, in order', () => {
  const { records, requests } = run(Array.from({ length: 2500 }, (_, n) => event('u', n)))
  expect(requests.map(({ events }) => events.length)).toEqual([1000, 1000, 500])
  expect(requests.flatMap(({ events }) => events.map(({ properties }) => properties.n))).toEqual(
    Array.from({ length: 2500 }, (_, n) => n),
  )
  expect(records.events).toBe(2500)
  const big = run(Array.from({ length: 10 }, () => event('u', 'x'.repeat(400_000))))
  expect(big.requests.map(({ events }) => events.length)).toEqual([2, 2, 2, 2, 2])
})

test('an event over 1 MB is dropped with a warning, the rest is stored', () => {
  const { requests, records } = run([event('u', 'ü'.repeat(500_000)), event('u', 'x'.repeat(990_000)), event('u')])
  expect(requests.flatMap(({ events }) => events)).toHaveLength(2)
  expect(records.warnings).toMatchObject([{ type: 'event_too_large', distinctId: 'u', event: 'a' }])
})

test('an event nested too deep is dropped with a warning, the rest is stored', () => {
  const { requests, records } = run([event('u', parseJson(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)), event('u')])
  expect(requests.flatMap(({ events }) => events)).toHaveLength(1)
  expect(records.warnings).toMatchObject([{ type: 'event_nested_too_deep' }])
})

test('a request whose items were all dropped still leaves its warnings in the log', () => {
  const { requests } = run([5, { event: 'a' }])
  expect(requests).toMatchObject([
    { events: [], warnings: [{ type: 'invalid_item_dropped' }, { type: 'distinct_id_missing' }] },
  ])
})

test('warnings are in the log once, also when the events are in many records', () => {
  const { requests } = run([5, ...Array.from({ length: 2500 }, (_, n) => event(`u${n}`, n))])
  expect(requests.flatMap(({ warnings }) => warnings)).toHaveLength(1)
})

test('the digits of huge numbers arrive', () => {
  const { records } = run([parseJson('{"event":"a","distinct_id":"u","properties":{"n":12345678901234567890}}')])
  expect(Buffer.from(records.entries[0]?.payload ?? []).toString()).toContain('"n":12345678901234567890')
})

const snapshot = (session: string, $snapshot_data: Json) => ({
  event: '$snapshot',
  properties: { distinct_id: 'u', $session_id: session, $window_id: 'w', $snapshot_data },
})

test('snapshots of a session become one recording; its items are as sent, lone surrogates too', () => {
  const sent = parseJson('[{"type":2,"data":"\\ud83d half","n":12345678901234567890},{"type":3}]') as Json[]
  const { records } = run([snapshot('s1', sent), snapshot('s2', [{ type: 4 }]), snapshot('s1', { type: 5 })])
  const recordings = records.entries.map(({ partition, payload }) => {
    expect(partition).toBe(RECORDINGS_PARTITION)
    return decodeRecording(Buffer.from(payload))
  })
  expect(recordings).toMatchObject([
    { project: 3, distinctId: 'u', sessionId: 's1', windowId: 'w', ip: '1.2.3.4', items: [...sent, { type: 5 }] },
    { sessionId: 's2', items: [{ type: 4 }] },
  ])
})

test('a large recording becomes several records', () => {
  const { records } = run([
    snapshot(
      's',
      Array.from({ length: 5 }, () => ({ data: 'x'.repeat(600_000) })),
    ),
  ])
  expect(records.entries).toHaveLength(5)
})
