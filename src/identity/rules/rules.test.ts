import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyJson, anyWord } from '../../../test/support/any-json.ts'
import { anEvent, at } from '../../../test/support/identity.ts'
import type { JsonObject } from '../../lib/json.ts'
import { isAnonymousId, orderedDistinctIds, personName } from './display.ts'
import { distinctIdText, isIllegalDistinctId } from './distinct-ids.ts'
import { mergeRequest } from './merge-rules.ts'
import { type NormalisedEvent, normalise } from './normalise.ts'
import { mostBytes } from './person-rules.ts'
import { personUuid } from './person-uuid.ts'
import { changedProperties } from './property-changes.ts'
import { jsonText, storable } from './storable.ts'

const kept = (name: string, properties: JsonObject, more = {}): NormalisedEvent => {
  const event = normalise(anEvent(1, name, 'u', properties, more))
  if ('refused' in event) throw new Error(event.refused)
  return event
}
const types = (event: { warnings: readonly { type: string }[] }) => event.warnings.map(({ type }) => type)

describe('the uuid of a person', () => {
  it.each([
    [1, 'test', '246f7a43-5507-564f-b687-793ee3c2dd79'],
    [2, 'test', '00ce873a-549c-548e-bbec-cc804a385dd8'],
    [1, 'test2', '45c17302-ee44-5596-916a-0eba21f4b638'],
  ])('follows from project %i and distinct id %s', (project, id, uuid) => expect(personUuid(project, id)).toBe(uuid))
})

it('properties never have more bytes of JSON than is assumed before they are written', () => {
  const word = anyWord('\uE0F712345678901234567890', '\x01\x1f"\\', '\ud800')
  fc.assert(
    fc.property(fc.dictionary(word, anyJson(word)), (properties) => {
      expect(mostBytes(properties)).toBeGreaterThanOrEqual(Buffer.byteLength(jsonText(properties)))
    }),
  )
})

describe('D1: an id', () => {
  it.each([
    [23, '23'],
    [23.4, '23.4'],
    [['a', 'b'], '["a","b"]'],
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    ['\uE0F712345678901234567890', '12345678901234567890'],
    ['x'.repeat(222), 'x'.repeat(200)],
    ['a\0b', 'a\uFFFDb'],
  ])('%j is %s', (value, text) => expect(distinctIdText(value)).toBe(text))

  it.each(['', '  ', 'Anonymous', 'GUEST', 'distinct_id', "'null'", '"None"', 'NaN', '0', '[object Object]', 'TRUE'])(
    '%j is illegal for merging',
    (id) => expect(isIllegalDistinctId(id)).toBe(true),
  )
  it.each(['NULL', 'nan', '00', 'null ', 'anonymous1', 'user'])('%j is legal for merging', (id) =>
    expect(isIllegalDistinctId(id)).toBe(false),
  )
})

describe('A3: $process_person_profile', () => {
  it.each(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])('false drops %s', (name) => {
    expect(normalise(anEvent(1, name, 'u', { $process_person_profile: false }))).toMatchObject({
      refused: 'invalid_event_when_process_person_profile_is_false',
      warnings: [{ type: 'invalid_event_when_process_person_profile_is_false', event: name, distinctId: 'u' }],
    })
  })
  it('false takes changes and groups away and stays', () => {
    const properties = {
      $process_person_profile: false,
      $set: { a: 1 },
      $set_once: {},
      $unset: [],
      $group_3: 'x',
      p: 1,
    }
    expect(kept('a', properties)).toMatchObject({
      personProcessing: 'off',
      properties: { $process_person_profile: false, p: 1 },
      changes: { set: {}, setOnce: {}, unset: [] },
    })
  })
  it('true is the default and is not kept', () => {
    expect(kept('a', { $process_person_profile: true, p: 1 })).toMatchObject({ properties: { p: 1 }, warnings: [] })
  })
  it.each(['false', 0, null])('%j is ignored with a warning', (value) => {
    const event = kept('a', { $process_person_profile: value })
    expect(event).toMatchObject({ personProcessing: 'full', properties: {} })
    expect(types(event)).toEqual(['invalid_process_person_profile'])
  })
})

describe('A5: what an event says about its person', () => {
  it('is completed by its own properties, the client’s words first', () => {
    const { changes, properties } = kept('$pageview', {
      $current_url: '/b',
      utm_source: 'mail',
      $os_name: 'Linux',
      $set: { $current_url: 'mine' },
      $set_once: { $initial_utm_source: 'mine' },
    })
    expect(changes.set).toEqual({ $current_url: 'mine', utm_source: 'mail', $os: 'Linux' })
    expect(changes.setOnce).toEqual({ $initial_current_url: '/b', $initial_utm_source: 'mine', $initial_os: 'Linux' })
    expect(properties).toMatchObject({ $set: changes.set, $set_once: changes.setOnce })
  })
  it.each(['$snapshot', '$performance_event'])('is not completed for %s', (name) =>
    expect(kept(name, { $browser: 'x' }).properties).toEqual({ $browser: 'x' }),
  )
  it('a shown survey is remembered', () => {
    const timestamp = at('2024-01-02T03:04:05Z')
    expect(kept('survey shown', {}, { timestamp }).changes.set).toEqual({
      $survey_last_seen_date: '2024-01-02T03:04:05.000Z',
    })
  })
  it.each(['$exception', '$$heatmap'])('P5: is ignored for %s', (name) =>
    expect(kept(name, { $set: { b: 4 }, $browser: 'x' }).changes).toEqual({ set: {}, setOnce: {}, unset: [] }),
  )
  it('of wrong types is ignored with warnings', () => {
    const event = kept('a', { $set: 'x', $set_once: [1], $unset: 'y', $browser: 'z' })
    expect(types(event)).toEqual(['set_not_object', 'set_not_object', 'unset_wrong_type'])
    expect(event.changes).toEqual({ set: { $browser: 'z' }, setOnce: { $initial_browser: 'z' }, unset: [] })
  })
  it('may name what to remove as the keys of an object', () => {
    expect(kept('a', { $unset: { x: 1, y: '' } }).changes.unset).toEqual(['x', 'y'])
  })
})

describe('A5: the properties of a person after an event', () => {
  const changed = (
    stored: JsonObject,
    changes: { set?: JsonObject; setOnce?: JsonObject; unset?: string[] },
    event = 'a',
  ) => changedProperties(stored, event, { set: {}, setOnce: {}, unset: [], ...changes })

  it('$set_once fills what is undefined; null is defined', () => {
    expect(changed({ a: null }, { setOnce: { a: 1, b: 2 } })).toEqual({ a: null, b: 2 })
  })
  it('$set wins over $set_once', () => expect(changed({}, { setOnce: { a: 1 }, set: { a: 2 } })).toEqual({ a: 2 }))
  it('$unset removes only what was there before', () => {
    expect(changed({ x: 0 }, { set: { x: 1 }, unset: ['x'] })).toEqual({})
    expect(changed({}, { set: { x: 1 }, unset: ['x'] })).toEqual({ x: 1 })
    expect(changed({}, { unset: ['x'] })).toBeNull()
  })
  it('P3: nothing new is no change, whatever the order of keys', () => {
    expect(changed({ b: { x: 1, y: [1] } }, { set: { b: { y: [1], x: 1 } } })).toBeNull()
  })
  it('noise alone is not written, unless it is new, comes with more, or the event is about the person', () => {
    const stored = { $current_url: '/a', $geoip_latitude: 1, $geoip_city_name: 'Ulm' }
    expect(changed(stored, { set: { $current_url: '/b', $geoip_latitude: 2 } })).toBeNull()
    expect(changed(stored, { set: { $current_url: '/b' } }, '$set')).toMatchObject({ $current_url: '/b' })
    expect(changed(stored, { set: { $current_url: '/b', x: 1 } })).toMatchObject({ $current_url: '/b', x: 1 })
    expect(changed(stored, { set: { $current_url: '/b', $pathname: '/b' } })).toMatchObject({ $pathname: '/b' })
    expect(changed(stored, { set: { $geoip_city_name: 'Bonn' } })).toMatchObject({ $geoip_city_name: 'Bonn' })
  })
  it('keys that JavaScript treats specially are only keys', () => {
    const set = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}')
    const result = changed({}, { set }) as JsonObject
    expect(Object.keys(result)).toEqual(['__proto__', 'constructor'])
    expect(({} as JsonObject).polluted).toBeUndefined()
  })
})

describe('what Postgres can hold', () => {
  it('is left as it is, without a copy', () => {
    const value = { a: [1, { b: 'ü😀' }], n: '\uE0F712345678901234567890' }
    expect(storable(value)).toBe(value)
  })
  it('loses NUL, half characters, false marks and bottomless nesting', () => {
    let deep: JsonObject = {}
    for (let i = 0; i < 5_000; i++) deep = { deep }
    expect(JSON.stringify(storable(deep)).length).toBeLessThan(1_000)
    expect(storable({ 'k\0': ['v\ud83d', '\uE0F7--', 'x"\uE0F71'] })).toEqual({ 'k\uFFFD': ['v\uFFFD', '--', 'x"1'] })
    expect(storable('\uE0F71234567890123456e99999')).toBe('1234567890123456e99999')
  })
})

describe('who merges with whom', () => {
  const request = (event: string, properties: JsonObject) => mergeRequest({ event, distinctId: 'u', properties })
  it('$identify keeps its own id, $create_alias the alias', () => {
    expect(request('$identify', { $anon_distinct_id: 7 })).toEqual({ into: 'u', other: '7' })
    expect(request('$create_alias', { alias: 'x' })).toEqual({ into: 'x', other: 'u' })
    expect(request('$merge_dangerously', { alias: 'x' })).toEqual({ into: 'u', other: 'x' })
  })
  it('without the other id nobody does', () => {
    expect(request('$identify', {})).toBeNull()
    expect(request('$identify', { $anon_distinct_id: null })).toBeNull()
    expect(request('$create_alias', { alias: '' })).toBeNull()
    expect(request('seen', { alias: 'x' })).toBeNull()
  })
})

describe('how a person is shown', () => {
  const anonymous = '0190b2c4-aaaa-7bbb-8ccc-0123456789ab'
  it('ids that machines made come last, the main id of an alias first', () => {
    expect(isAnonymousId(anonymous)).toBe(true)
    const ids = [
      { distinctId: anonymous, position: 1 },
      { distinctId: 'b', position: 3 },
      { distinctId: 'a', position: 4 },
    ]
    expect(orderedDistinctIds(ids)).toEqual(['b', 'a', anonymous])
    expect(orderedDistinctIds([...ids, { distinctId: 'x-x-x-x-x', position: -9 }])[0]).toBe('x-x-x-x-x')
  })
  it('the name is the first telling property, else the first id, else the number', () => {
    const person = { id: 5, properties: { name: 'Ann', email: '', Email: 'a@b.c' }, distinctIds: ['u'] }
    expect(personName(person, null)).toBe('a@b.c')
    expect(personName(person, ['plan', 'name'])).toBe('Ann')
    expect(personName(person, ['plan'])).toBe('u')
    expect(personName({ ...person, properties: {}, distinctIds: [] }, null)).toBe('5')
  })
})
