import { expect, test } from 'vitest'
import type { CapturedEvent } from '../../events/index.ts'
import { nameCookieless, type Visitor } from './cookieless.ts'

const VISITOR: Visitor = { salt: 'today', project: 1, ip: '10.0.0.1', userAgent: 'Browser/1' }
const event = (properties: CapturedEvent['properties'] = {}, distinctId = '$posthog_cookieless'): CapturedEvent => ({
  uuid: '018f1e55-0000-7000-8000-000000000000',
  clientUuid: true,
  event: '$pageview',
  distinctId,
  properties: { $cookieless_mode: true, $host: 'shop.example', ...properties },
  timestamp: null,
  offset: null,
})
const named = (sent: CapturedEvent, visitor: Partial<Visitor> = {}): CapturedEvent => {
  const events = [sent]
  nameCookieless(events, { ...VISITOR, ...visitor })
  return events[0] as CapturedEvent
}

test('the same visitor has one id a day, and another on any other day, site, address, browser or project', () => {
  const { distinctId } = named(event())
  expect(distinctId).toMatch(/^cookieless_[\w-]{22}$/)
  expect(named(event({ other: 1 })).distinctId).toBe(distinctId)
  const others = [
    named(event(), { salt: 'tomorrow' }),
    named(event(), { project: 2 }),
    named(event(), { ip: '10.0.0.2' }),
    named(event(), { userAgent: 'Browser/2' }),
    named(event({ $raw_user_agent: 'Browser/2 as the page saw it' })),
    named(event({ $host: 'blog.example' })),
  ].map((each) => each.distinctId)
  expect(new Set([distinctId, ...others]).size).toBe(7)
})

test('the id stands wherever nobody stood, and what would tell who it was is not kept', () => {
  const { distinctId, properties } = named(
    event({
      distinct_id: '$posthog_cookieless',
      $device_id: '$posthog_cookieless',
      $ip: '10.0.0.9',
      $raw_user_agent: 'x',
    }),
  )
  expect(properties).toEqual({
    $cookieless_mode: true,
    $host: 'shop.example',
    distinct_id: distinctId,
    $device_id: distinctId,
    $session_id: expect.any(String),
  })
})

test('a session lasts until a visitor is quiet for half an hour; one that the client has stays', () => {
  const at = (now: number, properties: CapturedEvent['properties'] = {}) => {
    const events = [event(properties)]
    nameCookieless(events, { salt: 's', project: 7, ip: '10.0.0.9', userAgent: 'x', now })
    return events[0]?.properties.$session_id
  }
  const [first, second, third] = [at(1_000), at(1_000 + 29 * 60_000), at(1_000 + 60 * 60_000)]
  expect(second).toBe(first)
  expect(third).not.toBe(first)
  expect(at(1_000 + 61 * 60_000, { $session_id: 'mine' })).toBe('mine')
})

test('who has an id keeps it, with or without cookies', () => {
  expect(named(event({}, 'ada'))).toEqual(event({}, 'ada'))
  const plain = event({ $cookieless_mode: false })
  expect(named(plain)).toEqual(plain)
})
