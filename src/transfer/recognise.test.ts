import { describe, expect, it } from 'vitest'
import { type Recognised, recognise } from './recognise.ts'

const NOW = Date.UTC(2026, 0, 2)
const UUID = '018f1e55-0000-7000-8000-abcdef012345'
const one = (value: unknown): Recognised =>
  recognise(typeof value === 'string' ? value : JSON.stringify(value), NOW)[0] as Recognised
const event = (value: unknown) => {
  const found = one(value)
  if (found.kind !== 'event') throw new Error(JSON.stringify(found))
  return JSON.parse(found.text)
}

describe('a line of', () => {
  it("PostHog's batch export keeps its uuid, and properties that are a text", () => {
    const line = {
      uuid: UUID,
      event: 'e',
      distinct_id: 'd',
      timestamp: '2025-01-01 10:00:00.123456+00:00',
      properties: '{"a":1}',
      set: { plan: 'pro' },
      elements_chain: 'a:',
    }
    expect(event(line)).toEqual({
      event: 'e',
      distinct_id: 'd',
      uuid: UUID,
      timestamp: '2025-01-01 10:00:00.123456+00:00',
      properties: { a: 1, $set: { plan: 'pro' }, $elements_chain: 'a:' },
    })
  })

  it("PostHog's events API is known by its id, and a page of them is several events", () => {
    const item = {
      id: UUID,
      event: 'e',
      distinct_id: 'd',
      timestamp: '2025-01-01T00:00:00Z',
      properties: {},
      person: null,
    }
    expect(event(item).uuid).toBe(UUID)
    expect(recognise(JSON.stringify({ results: [item, item, 7], next: null }), NOW).map(({ kind }) => kind)).toEqual([
      'event',
      'event',
      'bad',
    ])
  })

  it('a capture body may have the distinct id among its properties', () => {
    const body = {
      api_key: 'phc_x',
      batch: [{ event: 'e', properties: { distinct_id: 'd' }, timestamp: '2025-01-01T00:00:00Z' }],
    }
    expect(event(body)).toMatchObject({ event: 'e', distinct_id: 'd', properties: { distinct_id: 'd' } })
  })

  it("Mixpanel's raw export gets its time and an id that is the same in every run", () => {
    const line = {
      event: 'Sign up',
      properties: { time: 1_735_689_600, distinct_id: 'd', $insert_id: 'abc', plan: 'pro' },
    }
    expect(event(line)).toMatchObject({
      event: 'Sign up',
      distinct_id: 'd',
      timestamp: '2025-01-01T00:00:00.000Z',
      properties: { $insert_id: 'abc', plan: 'pro' },
    })
    expect(event(line).uuid).toBe(event({ ...line, properties: { ...line.properties, added: 'later' } }).uuid)
    expect(event(line).uuid).not.toBe(event({ ...line, properties: { ...line.properties, $insert_id: 'abd' } }).uuid)
  })

  it("Amplitude's export brings what it knows of the user", () => {
    const line = {
      event_type: 'click',
      user_id: 'u',
      device_id: 'dev',
      event_time: '2025-01-01 00:00:00.500000',
      $insert_id: 'x',
      event_properties: { a: 1 },
      user_properties: { plan: 'pro' },
    }
    expect(event(line)).toMatchObject({
      event: 'click',
      distinct_id: 'u',
      timestamp: '2025-01-01 00:00:00.500000',
      properties: { a: 1, $set: { plan: 'pro' }, $device_id: 'dev' },
    })
  })

  it('nobody in particular without a uuid gets one made of its content', () => {
    const line = { event: 'e', distinct_id: 'd', timestamp: '2025-01-01T00:00:00Z', properties: { a: 1, b: 2 } }
    const turned = { properties: { b: 2, a: 1 }, timestamp: '2025-01-01T00:00:00Z', distinct_id: 'd', event: 'e' }
    expect(event(line).uuid).toBe(event(turned).uuid)
    expect(event(line).uuid).not.toBe(event({ ...line, distinct_id: 'other' }).uuid)
  })

  it('keeps the digits of huge numbers', () => {
    const found = one(
      '{"event":"e","distinct_id":"d","timestamp":"2025-01-01","properties":{"n":12345678901234567890}}',
    )
    expect(found).toMatchObject({ text: expect.stringContaining('12345678901234567890') })
  })

  it.each([
    ['nonsense', 'is not JSON'],
    ['7', 'is not a JSON object'],
    [{ distinct_id: 'd', timestamp: '2025-01-01' }, 'has no event name'],
    [{ event: 'e', timestamp: '2025-01-01' }, 'has no distinct_id'],
    [{ event: 'e', distinct_id: 'd' }, 'has no timestamp'],
    [{ event: 'e', distinct_id: 'd', timestamp: 'soon' }, 'cannot be read'],
    [{ event: 'e', distinct_id: 'd', timestamp: '2027-01-01' }, 'lies in the future'],
    [
      { event: 'e', distinct_id: 'd', timestamp: '2025-01-01', properties: { x: 'x'.repeat(1_000_000) } },
      'is larger than 1 MB',
    ],
    [{ person: { uuid: 'x', distinct_ids: [] } }, 'is a person that cannot be read'],
  ])('%j is told what is wrong with it', (line, reason) =>
    expect(one(line)).toMatchObject({ kind: 'bad', reason: expect.stringContaining(reason) }),
  )
})
