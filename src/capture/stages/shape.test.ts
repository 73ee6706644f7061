import { describe, expect, test } from 'vitest'
import type { Json } from '../../lib/json.ts'
import { shape } from './shape.ts'

const K = 'phc_k'
const EVENT = { event: 'a', distinct_id: 'u' }
const run = (value: Json, query = '') => shape(value, new URLSearchParams(query))
const refusal = (value: Json): unknown => {
  try {
    run(value)
  } catch (error) {
    return (error as { code: string }).code
  }
  return null
}

describe('shapes', () => {
  test('a single event is its own item', () => {
    const single = { api_key: K, ...EVENT }
    expect(run(single)).toEqual({ key: K, items: [single], sentAt: null, historical: false })
  })
  test('a batch has items, a time of sending and a mark for history', () => {
    expect(
      run({ api_key: K, batch: [EVENT, EVENT], sent_at: '2024-01-01T00:00:00Z', historical_migration: true }),
    ).toEqual({ key: K, items: [EVENT, EVENT], sentAt: '2024-01-01T00:00:00Z', historical: true })
  })
  test('an array is a list of items', () => {
    expect(run([{ ...EVENT, token: K }, EVENT]).items).toHaveLength(2)
  })
  test('an event may have a field named batch', () => {
    expect(run({ api_key: K, ...EVENT, batch: 7 }).items).toHaveLength(1)
  })
  test('nothing else is a shape', () => {
    for (const value of [null, 1, 'text', true]) expect(refusal(value)).toBe('invalid_shape')
    expect(refusal({ api_key: K, batch: {} })).toBe('invalid_shape')
  })
  test('an empty array and an empty batch hold no event', () => {
    expect(refusal([])).toBe('empty_batch')
    expect(refusal({ api_key: K, batch: [] })).toBe('empty_batch')
  })
})

describe('keys', () => {
  test('each name of the key is understood', () => {
    for (const field of ['api_key', 'token', '$token']) {
      expect(run({ ...EVENT, [field]: K }).key).toBe(K)
      expect(run({ batch: [EVENT], [field]: K }).key).toBe(K)
    }
    expect(run({ ...EVENT, properties: { token: K } }).key).toBe(K)
    expect(run([{ ...EVENT, properties: { token: K } }]).key).toBe(K)
    expect(run({ batch: [{ ...EVENT, properties: { token: K } }] }).key).toBe(K)
  })
  test('blanks around a key do not count', () => expect(run({ ...EVENT, api_key: ` ${K}\n` }).key).toBe(K))
  test('a null key is none', () => expect(run({ ...EVENT, api_key: null, token: K }).key).toBe(K))
  test('the key of a batch wins over those of its items', () => {
    expect(run({ api_key: K, batch: [{ ...EVENT, token: 'phc_other' }] }).key).toBe(K)
  })
  test('the key of an event wins over a property that happens to be named token', () => {
    expect(run({ api_key: K, ...EVENT, properties: { token: 'invitation' } }).key).toBe(K)
  })
  test('no key', () => {
    const keyless: Json[] = [
      EVENT,
      { batch: [EVENT] },
      [EVENT, 5],
      { ...EVENT, api_key: '' },
      { ...EVENT, api_key: ' ' },
    ]
    for (const value of keyless) expect(refusal(value)).toBe('missing_api_key')
  })
  test('two different keys', () => {
    expect(refusal([{ token: K }, { token: 'phc_other' }])).toBe('invalid_api_key')
    expect(refusal({ ...EVENT, api_key: K, token: 'phc_other' })).toBe('invalid_api_key')
    expect(refusal({ batch: [{ token: K }, { properties: { token: 'phc_other' } }] })).toBe('invalid_api_key')
  })
  test('malformed keys', () => {
    for (const key of ['phx_personal', 'k'.repeat(65), 'schlüssel', 'a\u0000b', 'a b', 5, {}, [], true])
      expect(refusal({ ...EVENT, api_key: key as Json })).toBe('invalid_api_key')
    expect(refusal({ ...EVENT, api_key: 'k'.repeat(64) })).toBeNull()
  })
})

describe('the time of sending', () => {
  const single = { api_key: K, ...EVENT }
  test('is in the query in milliseconds', () => {
    expect(run(single, '_=1794702139712').sentAt).toBe(1794702139712)
    expect(run([single], 'sent_at=1794702139712').sentAt).toBe(1794702139712)
  })
  test('in the query counts only after 2020 and as a whole number', () => {
    for (const query of ['_=1794702139', '_=1500000000000', '_=x', '_=', '_=1e12', '_=1794702139712.5'])
      expect(run(single, query).sentAt).toBeNull()
  })
  test('in the body wins', () => {
    expect(run({ api_key: K, batch: [EVENT], sent_at: '2024-01-01' }, '_=1794702139712').sentAt).toBe('2024-01-01')
    expect(run({ api_key: K, batch: [EVENT], sent_at: { a: 1 } }, '_=1794702139712').sentAt).toBe(1794702139712)
  })
})
