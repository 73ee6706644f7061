import { expect, it } from 'vitest'
import { linesOf } from './recorded-lines.ts'

const plugin = (timestamp: number, name: string, payload: unknown) => ({
  type: 6,
  timestamp,
  data: { plugin: name, payload },
})

it('reads lines of the console and requests, by when they were', () => {
  const { console, requests } = linesOf([
    { type: 4, timestamp: 1000 },
    plugin(1500, 'rrweb/console@1', { level: 'error', payload: ['"no such boat"', '{"a":1}'], trace: ['app.js:1:2'] }),
    plugin(1600, 'rrweb/console@1', { level: 'log', payload: ['"fine"'] }),
    plugin(3000, 'rrweb/network@1', {
      requests: [
        {
          name: 'https://a.example/b',
          method: 'post',
          responseStatus: 500,
          startTime: 900,
          timeOrigin: 1000,
          duration: 40,
        },
        { name: 'https://a.example/a', initiatorType: 'img', timestamp: 1200, startTime: 100, responseEnd: 130 },
      ],
    }),
  ])
  expect(console).toEqual([
    { id: 'c0', at: 500, level: 'error', text: 'no such boat {"a":1}', from: 'app.js:1:2' },
    { id: 'c1', at: 600, level: 'info', text: 'fine', from: '' },
  ])
  expect(requests.map(({ id: _, ...rest }) => rest)).toEqual([
    { at: 200, method: 'GET', url: 'https://a.example/a', status: undefined, ms: 30, failed: false },
    { at: 900, method: 'POST', url: 'https://a.example/b', status: 500, ms: 40, failed: true },
  ])
})

/** For these `String` throws. */
const ODD = { level: { toString: 1 }, trace: [{ toString: 1 }], method: { toString: 1 }, name: { toString: 1 } }

it('passes over whatever else a page may have sent', () => {
  const odd = [
    null,
    3,
    'text',
    {},
    { requests: 'none' },
    { requests: [null, 1] },
    { payload: {}, level: 7 },
    ODD,
    { requests: [ODD] },
  ]
  const events = odd.flatMap((payload, at) => [
    plugin(at, 'rrweb/console@1', payload),
    plugin(at, 'rrweb/network@1', payload),
  ])
  const { requests } = linesOf([...events, plugin(8, { toString: 1 } as never, {}), { type: 6, timestamp: 9 }])
  expect(requests.map(({ url }) => url)).toEqual(['{"toString":1}'])
})
