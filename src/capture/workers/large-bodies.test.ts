import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CaptureServer, KEY, startCaptureServer } from '../../../test/support/capture-server.ts'
import { ALL, logFolder } from '../../../test/support/log-folder.ts'
import { decodeCaptured } from '../../events/index.ts'
import {
  allPartitions,
  livePartitions,
  openSegmentLog,
  openSegmentReader,
  RECORDINGS_PARTITION,
} from '../../log/index.ts'

const MIB = 1024 * 1024
const EVENT = { event: 'a', distinct_id: 'u' }

let server: CaptureServer
beforeAll(async () => {
  server = await startCaptureServer()
})
afterAll(() => server.stop())
beforeEach(() => server.log.clear())

const batchOf = (count: number, padding: number): string =>
  JSON.stringify({
    api_key: KEY,
    batch: Array.from({ length: count }, (_, n) => ({
      event: `e${n % 20}`,
      distinct_id: `user-${n % 500}`,
      properties: { n, text: 'x'.repeat(padding) },
    })),
  })

test('30,000 events of 19 MB are all stored in order, and other requests are answered meanwhile', async () => {
  const body = batchOf(30_000, 570)
  expect(body.length).toBeGreaterThan(18 * MIB)
  let answered = false
  const large = server.post('/batch/', body).then((answer) => {
    answered = true
    return answer
  })
  let between = 0
  while (!answered) {
    expect((await server.post('/e/', { api_key: KEY, ...EVENT })).status).toBe(200)
    if (!answered) between++
  }
  expect((await large).status).toBe(200)
  expect(between).toBeGreaterThan(5)

  const stored = server.log.events.filter(({ event }) => event !== 'a')
  expect(stored).toHaveLength(30_000)
  const inOrder = new Map<string, number>()
  const outOfOrder = stored.filter(({ distinctId, properties }) => {
    const before = inOrder.get(distinctId) ?? -1
    inOrder.set(distinctId, properties.n as number)
    return (properties.n as number) <= before
  })
  expect(outOfOrder).toEqual([])
})

test('a large body is judged like a small one', async () => {
  const padding = 'x'.repeat(MIB)
  const cases: [object | string, number, string][] = [
    [{ ...EVENT, padding }, 401, 'missing_api_key'],
    [{ ...EVENT, api_key: 'phc_nobody', padding }, 401, 'invalid_api_key'],
    [`{"padding":"${padding}"`, 400, 'parse_error'],
    [{ api_key: KEY, batch: [], padding }, 400, 'empty_batch'],
  ]
  for (const [body, status, code] of cases) {
    const answer = await server.post('/batch/', body)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code])
  }
  const answer = await server.post('/batch/', { api_key: KEY, padding, batch: [EVENT, { event: 'x' }] })
  expect(answer.status).toBe(200)
  expect(server.log.events).toHaveLength(1)
  expect(server.log.warnings).toMatchObject([{ type: 'distinct_id_missing' }])
})

test('an event over 1 MB is dropped, its neighbours are stored', async () => {
  const big = { ...EVENT, properties: { text: 'x'.repeat(1_000_001) } }
  expect((await server.post('/batch/', { api_key: KEY, batch: [EVENT, big, EVENT] })).status).toBe(200)
  expect(server.log.events).toHaveLength(2)
  expect(server.log.warnings).toMatchObject([{ type: 'event_too_large' }])
})

describe('bodies over the limit', () => {
  /** Writes as fast as the server reads, and tells whether the answer came and whether all could be written. */
  const upload = (path: string, bytes: number) =>
    new Promise<{ status: number; code: string }>((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      const outgoing = request(
        { hostname, port, path, method: 'POST', headers: { 'content-length': bytes } },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part) => {
            text += part
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, code: JSON.parse(text).code }))
        },
      )
      outgoing.on('error', reject)
      const chunk = Buffer.alloc(MIB, ' ')
      let left = bytes
      const write = () => {
        while (left > 0) {
          const part = chunk.subarray(0, Math.min(left, MIB))
          left -= part.length
          if (!outgoing.write(part)) return outgoing.once('drain', write)
        }
        return outgoing.end()
      }
      write()
    })

  test('the upload is drained and the 413 arrives', async () => {
    expect(await upload('/batch/', 20 * MIB + 1)).toEqual({ status: 413, code: 'body_too_large' })
    expect(await upload('/batch/', 35 * MIB)).toEqual({ status: 413, code: 'body_too_large' })
    expect(await upload('/s/', 26 * MIB)).toEqual({ status: 413, code: 'body_too_large' })
  })

  test('/s/ takes 25 MiB where events may have 20', async () => {
    expect(await upload('/s/', 22 * MIB)).toEqual({ status: 400, code: 'empty_body' })
  })

  test('a gzip bomb stops at 100 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(150 * MIB, ' '), { level: 1 })
    expect(bomb.length).toBeLessThan(2 * MIB)
    const answer = await server.post('/batch/', bomb)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([413, 'body_too_large'])
  })
})

test('few bytes that unpack to very many are refused, by how many times that is', async () => {
  const text = JSON.stringify({ api_key: KEY, ...EVENT, padding: ' '.repeat(40 * MIB) })
  const answer = await server.post('/i/v0/e/', gzipSync(text))
  expect([answer.status, await answer.json()]).toMatchObject([413, { detail: expect.stringContaining('100 times') }])
})

test('an upload that stands still is answered 408 with CORS, and its memory is free again', async () => {
  const reasons: string[] = []
  const impatient = await startCaptureServer({
    bodyLimits: { idleSeconds: 1 },
    onHeldBack: (reason) => reasons.push(reason),
  })
  const socket = connect(Number(new URL(impatient.url).port), '127.0.0.1')
  const heard: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => heard.push(text))
  socket.write('POST /batch/ HTTP/1.1\r\nHost: x\r\nOrigin: https://shop.example\r\nContent-Length: 1000000\r\n\r\n{')
  await once(socket, 'close')
  expect(heard.join('')).toMatch(/^HTTP\/1\.1 408 [\s\S]*access-control-allow-origin: https:\/\/shop\.example/)
  expect(heard.join('')).toContain('"code":"request_timeout"')
  expect(reasons).toEqual(['body_stalled'])
  expect((await impatient.post('/e/', { api_key: KEY, ...EVENT })).status).toBe(200)
  await impatient.stop()
})

test('a small body that unpacks to millions of tiny values is refused before it is read', async () => {
  for (const values of ['{},{},[],', '1,7,3,']) {
    // Some noise, or it would be refused for how well it packs.
    const noise = randomBytes(800_000).toString('base64')
    const text = `{"api_key":"${KEY}","noise":"${noise}","batch":[${values.repeat(6_000_000)}1]}`
    const answer = await server.post('/batch/', gzipSync(text))
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('too many values') })
  }
})

test('a large recording arrives in parts, item for item', async () => {
  const items = Array.from({ length: 40 }, (_, n) => ({ type: 3, n, data: `\ud83d${'x'.repeat(100_000)}` }))
  const body = gzipSync(
    JSON.stringify([
      {
        event: '$snapshot',
        properties: { token: KEY, distinct_id: 'u', $session_id: 's', $window_id: 'w', $snapshot_data: items },
      },
    ]),
  )
  expect((await server.post('/s/', body)).status).toBe(200)
  expect(server.log.entries.length).toBeGreaterThan(2)
  for (const { partition, payload } of server.log.entries) {
    expect(partition).toBe(RECORDINGS_PARTITION)
    expect(payload.length).toBeLessThan(1.2 * MIB)
  }
  expect(server.log.recordings.flatMap((recording) => recording.items)).toEqual(items)
})

test('what was answered 200, large or small, is in the log on disk', async () => {
  const log = await openSegmentLog({ dir: await logFolder(), partitions: allPartitions(2), reserveBytes: 0 })
  const durable = await startCaptureServer({ log })
  const [large, small] = await Promise.all([
    durable.post('/batch/', batchOf(3000, 500)),
    durable.post('/e/', { api_key: KEY, ...EVENT }),
  ])
  expect([large.status, small.status]).toEqual([200, 200])
  const reader = openSegmentReader(log.readerHandle())
  const ranges = await Promise.all(livePartitions(2).map((partition) => reader.read(partition, 0, ALL)))
  const events = ranges.flatMap(({ records }) => records.flatMap(({ payload }) => decodeCaptured(payload).events))
  expect(events).toHaveLength(3001)
  await reader.close()
  await durable.stop()
  await log.close()
})
