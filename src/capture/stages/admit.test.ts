import { describe, expect, test } from 'vitest'
import { type Json, parseJson } from '../../lib/json.ts'
import { isUuid } from '../../lib/uuid.ts'
import { admit } from './admit.ts'
import type { Snapshot } from './snapshots.ts'

const NOW = 1_794_702_139_712
const run = (items: readonly Json[], engage = false) => {
  const { events, snapshots, warnings } = admit(items, { now: NOW, engage, userAgent: 'Mozilla/5.0' })
  return { events, snapshots, warnings: warnings.list() }
}
const one = (item: Json) => {
  const { events, warnings } = run([item])
  return { event: events[0], types: warnings.map(({ type }) => type) }
}
const id = (distinct_id: Json) => one({ event: 'a', distinct_id }).event?.distinctId

test('a good event passes as it is', () => {
  const uuid = '0188c2b6-7d5a-7000-8000-0123456789ab'
  const { event, types } = one({
    event: 'a',
    distinct_id: 'u',
    uuid,
    properties: { n: 1, token: 'x' },
    timestamp: '2024-01-01',
    offset: 5,
    unknown: 1,
  })
  expect(event).toEqual({
    uuid,
    clientUuid: true,
    event: 'a',
    distinctId: 'u',
    properties: { n: 1, token: 'x' },
    timestamp: '2024-01-01',
    offset: 5,
  })
  expect(types).toEqual([])
})

describe('the silent cases: only that event is dropped, and a warning says so', () => {
  const good = { event: 'good', distinct_id: 'u' }
  const dropped: [string, Json, string][] = [
    ['no name', { distinct_id: 'u' }, 'event_without_name'],
    ['a null name', { event: null, distinct_id: 'u' }, 'event_without_name'],
    ['an empty name', { event: '', distinct_id: 'u' }, 'event_without_name'],
    ['a blank name', { event: ' ', distinct_id: 'u' }, 'event_without_name'],
    ['no distinct id', { event: 'a' }, 'distinct_id_missing'],
    ['a null distinct id', { event: 'a', distinct_id: null }, 'distinct_id_missing'],
    ['an empty distinct id', { event: 'a', distinct_id: '' }, 'distinct_id_empty'],
    ['a blank distinct id', { event: 'a', distinct_id: ' \n' }, 'distinct_id_empty'],
    ['a number', 5, 'invalid_item_dropped'],
    ['null', null, 'invalid_item_dropped'],
    ['an array', [], 'invalid_item_dropped'],
    ['a warning of the SDK', { event: '$$client_ingestion_warning', distinct_id: 'u' }, 'client_ingestion_warning'],
  ]
  for (const [name, item, type] of dropped)
    test(name, () => {
      const { events, warnings } = run([item, good])
      expect(events.map(({ event }) => event)).toEqual(['good'])
      expect(warnings.map((warning) => warning.type)).toEqual([type])
    })
})

describe('distinct ids', () => {
  test('may be in the properties, but the top level comes first', () => {
    expect(one({ event: 'a', properties: { distinct_id: 'p' } }).event?.distinctId).toBe('p')
    expect(one({ event: 'a', distinct_id: null, properties: { distinct_id: 'p' } }).event?.distinctId).toBe('p')
    expect(one({ event: 'a', distinct_id: 't', properties: { distinct_id: 'p' } }).event?.distinctId).toBe('t')
    expect(one({ event: 'a', $distinct_id: 't' }).event?.distinctId).toBe('t')
    expect(one({ event: 'a', distinct_id: '', properties: { distinct_id: 'p' } }).types).toEqual(['distinct_id_empty'])
  })
  test('that are no strings become their JSON', () => {
    expect(id(23)).toBe('23')
    expect(id(23.4)).toBe('23.4')
    expect(id(0)).toBe('0')
    expect(id(false)).toBe('false')
    expect(id(['a', 'b'])).toBe('["a","b"]')
    expect(id({ b: 1, a: { d: 1, c: 2 } })).toBe('{"a":{"c":2,"d":1},"b":1}')
    expect(id(parseJson('12345678901234567890'))).toBe('12345678901234567890')
  })
  test('keep the blanks around them', () => expect(id('  x  ')).toBe('  x  '))
  test('lose NUL and broken characters', () => expect(id('a\0b\ud800')).toBe('a\uFFFDb\uFFFD'))
  test('are cut to 200 characters, counted as people count them', () => {
    const { event, types } = one({ event: 'a', distinct_id: '😀'.repeat(222) })
    expect(event?.distinctId).toBe('😀'.repeat(200))
    expect(types).toEqual(['distinct_id_too_long'])
    expect(one({ event: 'a', distinct_id: '😀'.repeat(200) }).types).toEqual([])
  })
})

describe('uuids', () => {
  const uuidOf = (uuid: Json) => one({ event: 'a', distinct_id: 'u', uuid })
  test('of any version are kept, in one spelling', () => {
    const v4 = 'B0C1A2D3-0000-4000-8000-0123456789AB'
    expect(uuidOf(v4).event).toMatchObject({ uuid: v4.toLowerCase(), clientUuid: true })
    expect(uuidOf(v4.replaceAll('-', '')).event).toMatchObject({ uuid: v4.toLowerCase(), clientUuid: true })
    expect(uuidOf(`urn:uuid:${v4}`).event).toMatchObject({ uuid: v4.toLowerCase() })
  })
  test('that are absent are made here, and time-ordered', () => {
    for (const uuid of [null, '']) {
      const { event, types } = uuidOf(uuid)
      expect(isUuid(event?.uuid ?? '') && event?.uuid[14] === '7' && event.clientUuid === false).toBe(true)
      expect(types).toEqual([])
    }
  })
  test('that are malformed are replaced, with a warning', () => {
    for (const uuid of ['nonsense', 5, {}, '0188c2b6-7d5a-7000-8000-0123456789a']) {
      const { events, warnings } = run([{ event: 'a', distinct_id: 'u', uuid }])
      expect(events[0]?.clientUuid).toBe(false)
      expect(warnings).toMatchObject([{ type: 'invalid_uuid_replaced', uuid: events[0]?.uuid }])
    }
  })
})

describe('names and properties', () => {
  test('a name that is no string becomes its JSON', () => {
    expect(one({ event: { a: 1 }, distinct_id: 'u' })).toMatchObject({
      event: { event: '{"a":1}' },
      types: ['event_name_not_string'],
    })
  })
  test('a name is cut to 200 characters', () => {
    const { event, types } = one({ event: 'e'.repeat(201), distinct_id: 'u' })
    expect(event?.event).toHaveLength(200)
    expect(types).toEqual(['event_name_too_long'])
  })
  test('properties that are no object are ignored', () => {
    for (const properties of ['x', 5, [], true])
      expect(one({ event: 'a', distinct_id: 'u', properties })).toMatchObject({
        event: { properties: {} },
        types: ['properties_not_object'],
      })
    expect(one({ event: 'a', distinct_id: 'u', properties: null }).types).toEqual([])
  })
  test('$set and $set_once beside the properties are merged into them and win', () => {
    expect(
      one({
        event: 'a',
        distinct_id: 'u',
        properties: { $set: { a: 1, b: 1 }, $set_once: 'x', c: 1 },
        $set: { b: 2 },
        $set_once: { d: 3 },
      }),
    ).toMatchObject({ event: { properties: { $set: { a: 1, b: 2 }, $set_once: { d: 3 }, c: 1 } }, types: [] })
    expect(one({ event: 'a', distinct_id: 'u', $set: 'x' }).types).toEqual(['set_not_object'])
  })
  test('a property named __proto__ is a property', () => {
    const properties = parseJson('{"__proto__":{"a":1}}')
    expect(JSON.stringify(one({ event: 'a', distinct_id: 'u', properties, $set: { b: 1 } }).event?.properties)).toBe(
      '{"__proto__":{"a":1},"$set":{"b":1}}',
    )
  })
})

test('on /engage/ an item without a name updates a person', () => {
  const { events } = run([{ $distinct_id: 'u', $set: { name: 'Ada' } }], true)
  expect(events).toMatchObject([{ event: '$identify', distinctId: 'u', properties: { $set: { name: 'Ada' } } }])
})

describe('snapshots', () => {
  const properties = {
    distinct_id: 'u',
    $session_id: 's-1',
    $window_id: 'w',
    $snapshot_data: [{ type: 4 }],
    $lib: 'web',
  }
  const recorded = ({ items }: Snapshot) =>
    items.flatMap(({ bytes, bounds }) =>
      Array.from({ length: bounds.length / 2 }, (_, n) =>
        JSON.parse(bytes.toString('utf8', bounds[2 * n], bounds[2 * n + 1])),
      ),
    )
  test('go their own way', () => {
    const { events, snapshots } = run([{ event: '$snapshot', properties }])
    expect(events).toEqual([])
    expect(snapshots).toMatchObject([
      { distinctId: 'u', sessionId: 's-1', windowId: 'w', snapshotSource: 'web', lib: 'web' },
    ])
    expect(snapshots.flatMap(recorded)).toEqual([{ type: 4 }])
  })
  test('of one object, without window and lib', () => {
    const { snapshots } = run([
      { event: '$snapshot', properties: { distinct_id: 'u', $session_id: 's', $snapshot_data: { type: 2 } } },
    ])
    expect(snapshots).toMatchObject([{ windowId: 's', lib: 'web' }])
    expect(snapshots.flatMap(recorded)).toEqual([{ type: 2 }])
  })
  test('need a session id and data', () => {
    for (const $session_id of [null, 5, '', 'a b', 'ü', 's'.repeat(71)])
      expect(run([{ event: '$snapshot', properties: { ...properties, $session_id } }])).toMatchObject({
        snapshots: [],
        warnings: [{ type: 'recording_without_session_id' }],
      })
    for (const $snapshot_data of [null, 'x', 5])
      expect(run([{ event: '$snapshot', properties: { ...properties, $snapshot_data } }])).toMatchObject({
        snapshots: [],
        warnings: [{ type: 'recording_without_data' }],
      })
  })
})

test('very many warnings of one reason keep some samples and the true count', () => {
  const { warnings } = run(Array.from({ length: 2500 }, () => 5))
  expect(warnings).toHaveLength(1000)
  expect(warnings.reduce((sum, { count }) => sum + (count ?? 1), 0)).toBe(2500)
})

test('an id nested deeper than any stack is dropped, not thrown', () => {
  const deep = parseJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(one({ event: 'a', distinct_id: deep }).types).toEqual(['event_nested_too_deep'])
})
