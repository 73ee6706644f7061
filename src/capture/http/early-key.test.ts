import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { earlyKey } from './early-key.ts'
import type { Body } from './read-body.ts'

const of = (content: string | Buffer) => earlyKey({ blocks: [Buffer.from(content)] } as unknown as Body)
const batch = Array.from({ length: 500 }, (_, n) => ({ event: `e${n}`, distinct_id: 'u', properties: { n } }))

test('a key before the events is found, plain or packed', () => {
  for (const field of ['api_key', 'token', '$token']) {
    const text = JSON.stringify({ sent_at: 'a "b', n: -1.5e3, historical_migration: false, [field]: 'phc_k', batch })
    expect(of(text)).toBe('phc_k')
    expect(of(gzipSync(text))).toBe('phc_k')
  }
})

test('what only looks like the key of the request is none', () => {
  for (const value of [
    { batch, api_key: 'phc_k' },
    { properties: { token: 'invitation' }, api_key: 'phc_k' },
    { text: '{"api_key":"phc_text"}', batch },
    { api_key: null, batch },
    { api_key: 5, batch },
    [{ api_key: 'phc_k' }],
  ])
    expect(of(JSON.stringify(value))).toBeNull()
  for (const text of [
    '',
    '{',
    '"api_key":"phc_k"',
    gzipSync(gzipSync('{"api_key":"phc_k"}')),
    Buffer.from([0x1f, 0x8b]),
  ])
    expect(of(text)).toBeNull()
})
