import { expect, it } from 'vitest'
import type { Sql } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import { networkOf } from '../frame/client-address.ts'
import { GuessingGuard } from './guessing-guard.ts'

const AT = Date.UTC(2026, 0, 1)

/** A guard that knows one user at one address, and who tries from where at which minute. */
function guarded(known = 'ada@example.com 192.0.2.1') {
  const guard = new GuessingGuard(undefined, async (_, email, address) => `${email} ${address}` === known)
  return async (email: string, address: string, minute = 0) => {
    const call = {
      now: () => new Date(AT + minute * MINUTE),
      sql: null as unknown as Sql,
      request: { clientAddress: address },
    }
    return guard.password(call, email).catch((error: { code: string }) => error.code)
  }
}

it('ten for one e-mail from one address, until a quarter of an hour is over', async () => {
  const attempt = guarded()
  for (let n = 0; n < 10; n++) expect(await attempt('bob@example.com', '203.0.113.1')).not.toBe('throttled')
  expect(await attempt('BOB@example.com', '203.0.113.1', 14)).toBe('throttled')
  expect(await attempt('bob@example.com', '203.0.113.2', 14)).not.toBe('throttled')
  expect(await attempt('bob@example.com', '203.0.113.1', 16)).not.toBe('throttled')
})

it('a hundred for one e-mail from everywhere, but not where its user signs in', async () => {
  const attempt = guarded()
  for (let n = 0; n < 100; n++) await attempt('ada@example.com', `203.0.113.${n}`)
  expect(await attempt('ada@example.com', '198.51.100.1')).toBe('throttled')
  for (let n = 0; n < 10; n++) expect(await attempt('ada@example.com', '192.0.2.1')).not.toBe('throttled')
  expect(await attempt('ada@example.com', '192.0.2.1')).toBe('throttled')
})

it('the right password takes back what was counted for this e-mail from here', async () => {
  const attempt = guarded()
  for (let n = 0; n < 9; n++) await attempt('bob@example.com', '203.0.113.1')
  const right = await attempt('bob@example.com', '203.0.113.1')
  if (typeof right === 'string') throw new Error(right)
  await right.succeeded()
  for (let n = 0; n < 10; n++) expect(await attempt('bob@example.com', '203.0.113.1')).not.toBe('throttled')
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network))
