import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ClientAddresses, faultyNetwork, networkOf } from './client-address.ts'

const asked = (remoteAddress: string | undefined, headers: Record<string, string | string[]> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

const from = (trusted: string[], peer: string, forwarded: string) =>
  new ClientAddresses(trusted).of(asked(peer, { 'x-forwarded-for': forwarded }))

describe('the address of a client', () => {
  test('is that of the socket, whatever a stranger claims', () => {
    const addresses = new ClientAddresses()
    expect(addresses.of(asked('203.0.113.9'))).toBe('203.0.113.9')
    expect(addresses.of(asked('::ffff:203.0.113.9', { 'x-real-ip': '10.1.1.1' }))).toBe('203.0.113.9')
    expect(from([], '127.0.0.1', '198.51.100.1')).toBe('127.0.0.1')
    expect(from(['10.0.0.0/8'], '203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
  })

  test('is what trusted proxies saw: the last one in the list that is not theirs', () => {
    const trusted = ['10.0.0.0/8', 'fd00::/8', '192.0.2.7']
    expect(from(trusted, '10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
    expect(from(trusted, '10.1.2.3', '1.2.3.4, 198.51.100.1, 192.0.2.7')).toBe('198.51.100.1')
    expect(from(trusted, '::ffff:10.1.2.3', 'claimed, 198.51.100.1:4711,fd00::5')).toBe('198.51.100.1')
    expect(from(trusted, 'fd12::1', '[2001:db8::7]:443')).toBe('2001:db8::7')
  })

  test('stays with the proxy when it saw nothing that is an address, and with the farthest proxy when all are ours', () => {
    expect(from(['10.0.0.0/8'], '10.1.2.3', 'unknown')).toBe('10.1.2.3')
    expect(from(['10.0.0.0/8'], '10.1.2.3', '')).toBe('10.1.2.3')
    expect(from(['10.0.0.0/8'], '10.1.2.3', '10.9.9.9, 10.8.8.8')).toBe('10.9.9.9')
  })

  test('X-Real-IP counts from a trusted proxy that sends no list', () => {
    const addresses = new ClientAddresses(['127.0.0.1'])
    expect(addresses.of(asked('127.0.0.1', { 'x-real-ip': '198.51.100.4' }))).toBe('198.51.100.4')
    expect(addresses.of(asked('127.0.0.1', { 'x-real-ip': 'nonsense' }))).toBe('127.0.0.1')
  })

  test('there is none on a Unix socket', () => {
    expect(new ClientAddresses(['127.0.0.1']).of(asked(undefined, { 'x-forwarded-for': '198.51.100.1' }))).toBeNull()
  })

  test('a proxy that nobody mentioned is told of once', () => {
    const told: string[] = []
    const addresses = new ClientAddresses(['10.0.0.1'], (peer) => told.push(peer))
    addresses.of(asked('10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }))
    addresses.of(asked('203.0.113.1'))
    expect(addresses.untrustedPeer).toBeNull()
    for (let n = 1; n < 4; n++) addresses.of(asked(`203.0.113.${n}`, { 'x-forwarded-for': '198.51.100.1' }))
    expect(told).toEqual(['203.0.113.1'])
    expect(addresses.untrustedPeer).toBe('203.0.113.1')
  })

  test('whatever a client writes before what the proxy adds changes nothing', () => {
    const addresses = new ClientAddresses(['10.0.0.0/8'])
    const claims = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 5 })
    fc.assert(
      fc.property(claims, (claimed) => {
        const list = [...claimed, '198.51.100.1'].join(',')
        expect(addresses.of(asked('10.0.0.1', { 'x-forwarded-for': list }))).toBe('198.51.100.1')
      }),
    )
  })
})

test('a network that is none is refused in words', () => {
  expect(faultyNetwork(['10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'])).toBeNull()
  for (const wrong of ['10.0.0.0/33', 'proxy.local', '::1/129', '10.0.0.0/8/1', '', '10.0.0.0/x', '10.0.0.0/'])
    expect(faultyNetwork([wrong])).toContain(`"${wrong}" is no address or network`)
})

test('a budget counts an IPv4 address by itself and an IPv6 address with its network', () => {
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002:0:0:0:9'])
    expect(networkOf(address)).toBe('2001:db8:1:2')
  expect(networkOf('::1')).toBe('0:0:0:0')
  expect(networkOf('2001:db8::')).toBe('2001:db8:0:0')
})
