import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CaptureServer, KEY, PROJECT, startCaptureServer } from '../../test/support/capture-server.ts'
import { ClientAddresses } from '../http/client-address.ts'
import { LogUnavailable } from '../log/index.ts'

let server: CaptureServer
beforeAll(async () => {
  server = await startCaptureServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.log.clear()
  server.log.failure = null
  server.appended.length = 0
  server.refused.length = 0
})

const EVENT = { api_key: KEY, event: 'a', distinct_id: 'u' }
const PATHS = ['/i/v0/e', '/batch', '/e', '/capture', '/track', '/engage', '/s', '/i/v0/ai/batch'].flatMap((path) => [
  path,
  `${path}/`,
])

/** The documented paths. */
const POST_ONLY = /^\/(?:i\/v0\/e|batch|i\/v0\/ai\/batch)\/?$/

describe('success', () => {
  test('every path takes every shape, and answers exactly 200 {"status":"Ok"}', async () => {
    for (const path of PATHS)
      for (const body of [EVENT, [EVENT, EVENT], { api_key: KEY, batch: [EVENT, EVENT] }]) {
        const answer = await server.post(path, body)
        expect([path, answer.status, await answer.text()]).toEqual([path, 200, '{"status":"Ok"}'])
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      }
    expect(server.log.events).toHaveLength(PATHS.length * 5)
  })

  test('GET with data in the query', async () => {
    const data = encodeURIComponent(Buffer.from(JSON.stringify(EVENT)).toString('base64'))
    const older = PATHS.filter((path) => !POST_ONLY.test(path))
    for (const path of older) expect((await fetch(`${server.url}${path}?data=${data}`)).status).toBe(200)
    expect(server.log.events).toHaveLength(older.length)
  })

  test('a beacon gets 204 and no body', async () => {
    const answer = await server.post('/e/?compression=gzip-js&beacon=1', gzipSync(JSON.stringify(EVENT)))
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(server.log.events).toHaveLength(1)
  })

  test('no content type is refused, not even nonsense', async () => {
    for (const type of [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      ';;;',
      'multipart/form-data',
      'x',
    ])
      expect((await server.post('/e/', JSON.stringify(EVENT), { 'content-type': type })).status).toBe(200)
  })

  test('what was appended is told: path, project, counts', async () => {
    await server.post('/batch/', { api_key: KEY, batch: [EVENT, { event: 'x' }] })
    expect(server.appended).toMatchObject([
      { path: '/batch', project: PROJECT.id, events: 1, recordings: 0, warnings: [{ type: 'distinct_id_missing' }] },
    ])
  })
})

describe('the address of a client', () => {
  test('is what a trusted proxy saw, and never what a stranger claims', async () => {
    for (const [trusted, ip] of [
      [[], '127.0.0.1'],
      [['127.0.0.1'], '203.0.113.7'],
    ] as const) {
      const proxied = await startCaptureServer({ addresses: new ClientAddresses(trusted) })
      await proxied.post('/e/', EVENT, { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' })
      expect(proxied.log.requests).toMatchObject([{ ip }])
      await proxied.stop()
    }
  })

  test('is not written down for a project that wants none', async () => {
    const shy = await startCaptureServer({ projects: { find: () => ({ ...PROJECT, anonymizeIps: true }) } })
    await shy.post('/e/', EVENT)
    expect(shy.log.requests).toMatchObject([{ ip: null }])
    await shy.stop()
  })
})

describe('refusals', () => {
  const cases: [string, unknown, number, string][] = [
    ['an empty body', '', 400, 'empty_body'],
    ['no JSON', '{not json', 400, 'parse_error'],
    ['broken gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1]), 400, 'invalid_encoding'],
    ['half a list', '[1', 400, 'parse_error'],
    ['an empty batch', { api_key: KEY, batch: [] }, 400, 'empty_batch'],
    ['a text', Buffer.from('"text"'), 400, 'invalid_shape'],
    ['a number', Buffer.from('5'), 400, 'invalid_shape'],
    ['null', Buffer.from('null'), 400, 'invalid_shape'],
    ['an empty array', [], 400, 'empty_batch'],
    ['no key', { event: 'a', distinct_id: 'u' }, 401, 'missing_api_key'],
    ['a batch without a key', { batch: [{ event: 'a', distinct_id: 'u' }] }, 401, 'missing_api_key'],
    ['an unknown key', { ...EVENT, api_key: 'phc_nobody' }, 401, 'invalid_api_key'],
    ['a personal key', { ...EVENT, api_key: 'phx_secret' }, 401, 'invalid_api_key'],
    ['a key that is no string', { ...EVENT, api_key: 5 }, 401, 'invalid_api_key'],
    ['two keys', [EVENT, { ...EVENT, api_key: 'phc_lab' }], 401, 'invalid_api_key'],
  ]
  for (const [name, body, status, code] of cases)
    test(name, async () => {
      for (const path of ['/i/v0/e/', '/batch/']) {
        const answer = await server.post(path, body, { origin: 'https://shop.example' })
        const error = (await answer.json()) as Record<string, unknown>
        expect([answer.status, error.code]).toEqual([status, code])
        expect(Object.keys(error).sort()).toEqual(['attr', 'code', 'detail', 'type'])
        expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example')
        expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
      }
      expect(server.log.entries).toHaveLength(0)
      expect(server.refused).toHaveLength(2)
    })

  test('what is no event is told so, with what to send', async () => {
    for (const [body, words] of [
      ['5', 'The body is a number. Send {"api_key": "phc_...", "event": "...", "distinct_id": "..."}'],
      ['null', 'The body is null. Send {"api_key"'],
      [' true ', 'The body is a boolean. Send {"api_key"'],
      ['"x"', 'The body is a string. Send {"api_key"'],
      ['[]', 'The batch holds no event. Send at least one'],
    ] as const) {
      const { detail } = (await (await server.post('/i/v0/e/', Buffer.from(body))).json()) as { detail: string }
      expect(detail).toContain(words)
    }
  })

  test('other methods get 405 in the one shape', async () => {
    for (const path of PATHS)
      for (const method of POST_ONLY.test(path) ? ['GET', 'PUT'] : ['PUT', 'PATCH', 'DELETE']) {
        const headers = { origin: 'https://shop.example' }
        const answer = await fetch(`${server.url}${path}?data=e30=`, { method, headers })
        expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([405, 'method_not_allowed'])
        expect(answer.headers.get('allow')).toBe(POST_ONLY.test(path) ? 'POST, OPTIONS' : 'GET, POST, OPTIONS')
        expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      }
    expect((await fetch(`${server.url}/batch/`, { method: 'HEAD' })).status).toBe(405)
  })

  test('a preflight is answered on every path', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-headers': 'content-type' }
    for (const path of PATHS) {
      const answer = await fetch(server.url + path, { method: 'OPTIONS', headers })
      expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([200, 'content-type'])
    }
  })

  test('a batch whose list is misspelt is refused in words, and an event by itself is not', async () => {
    for (const path of ['/batch', '/batch/', '/i/v0/ai/batch/'])
      for (const body of [{ events: [EVENT] }, { batch: null }, { batch: { 0: EVENT } }, { distinct_id: 'u' }, {}]) {
        const answer = await server.post(path, { api_key: KEY, ...body })
        expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_shape', attr: 'batch' }])
      }
    expect(server.log.entries).toHaveLength(0)
    const { detail } = (await (await server.post('/batch/', { api_key: KEY, events: [EVENT] })).json()) as {
      detail: string
    }
    expect(detail).toMatch(/^The body has "api_key", "events" and no batch\. Send \{"api_key"/)
    expect((await server.post('/batch/', EVENT)).status).toBe(200)
  })

  test('an event over 1 MB is refused when it is alone, dropped from a batch, and in the ledger both times', async () => {
    const large = {
      ...EVENT,
      uuid: '0190b6f0-0000-7000-8000-000000000001',
      properties: { text: 'x'.repeat(1_000_001) },
    }
    for (const [path, body, status, events] of [
      ['/i/v0/e/', large, 413, 0],
      ['/e/', [large], 413, 0],
      ['/i/v0/e/', gzipSync(JSON.stringify(large)), 413, 0],
      ['/batch/', { api_key: KEY, batch: [large] }, 200, 0],
      ['/batch/', { api_key: KEY, batch: [EVENT, large, EVENT] }, 200, 2],
    ] as const) {
      server.log.clear()
      const answer = await server.post(path, body, { origin: 'https://shop.example' })
      expect([answer.status, server.log.events.length]).toEqual([status, events])
      if (status === 413) expect(await answer.json()).toMatchObject({ code: 'event_too_large' })
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      expect(server.log.warnings).toMatchObject([{ type: 'event_too_large', uuid: large.uuid }])
    }
  })

  test('items of a recording that cannot be stored are in the ledger with their uuid', async () => {
    const uuid = (n: number) => `0190b6f0-0000-7000-8000-00000000000${n}`
    const item = (n: number, properties: object) => ({
      uuid: uuid(n),
      event: '$snapshot',
      properties: { token: KEY, distinct_id: 'u', ...properties },
    })
    const answer = await server.post('/s/', [
      item(1, { $snapshot_data: [{ type: 4 }] }),
      item(2, { $session_id: 's' }),
      item(3, { $session_id: 's', $snapshot_data: [{ type: 4, timestamp: 1 }] }),
    ])
    expect(answer.status).toBe(200)
    expect(server.log.warnings).toMatchObject([
      { type: 'recording_without_session_id', uuid: uuid(1) },
      { type: 'recording_without_data', uuid: uuid(2) },
    ])
    expect(server.log.recordings).toHaveLength(1)
  })

  test('a log that takes no more: 503 with Retry-After, and the next request may work', async () => {
    server.log.failure = new LogUnavailable('disk full', 7)
    const answer = await server.post('/e/', EVENT)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
    expect(await answer.json()).toMatchObject({ code: 'overloaded' })
    server.log.failure = null
    expect((await server.post('/e/', EVENT)).status).toBe(200)
  })

  test('a log that may have stored what it refused: the request that comes again has the uuids of the first', async () => {
    const nats = await startCaptureServer()
    nats.log.mayComeTwice = true
    const batch = { api_key: KEY, batch: ['u', 'v', 'v'].map((distinct_id) => ({ event: 'a', distinct_id })) }
    const other = { api_key: KEY, batch: [{ event: 'a', distinct_id: 'u', properties: { other: 1 } }] }
    const send = async (body: object) => {
      nats.log.clear()
      const { status } = await nats.post('/batch/', body)
      return { status, uuids: nats.log.events.map(({ uuid }) => uuid), events: nats.log.events }
    }
    nats.log.failure = new LogUnavailable('no answer', 5, { maybeStored: true })
    const first = await send(batch)
    expect(first.status).toBe(503)
    expect(first.events.every(({ clientUuid }) => clientUuid)).toBe(true)
    expect(new Set(first.uuids).size).toBe(3)
    expect(await send(batch)).toMatchObject({ status: 503, uuids: first.uuids })
    // Refused without being stored: still the same request.
    nats.log.failure = new LogUnavailable('full')
    expect(await send(batch)).toMatchObject({ status: 503, uuids: [] })
    nats.log.failure = null
    const differs = await send(other)
    expect(differs.status).toBe(200)
    expect(first.uuids).not.toContain(differs.uuids[0])
    expect(await send(batch)).toMatchObject({ status: 200, uuids: first.uuids })
    // It was answered with 200: the same again is another request.
    const next = await send(batch)
    expect(next.status).toBe(200)
    expect(next.uuids.filter((uuid) => first.uuids.includes(uuid))).toEqual([])
    await nats.stop()
  })

  test('a directory that cannot be asked: 503, not 401', async () => {
    const away = await startCaptureServer({ projects: { find: () => Promise.reject(new Error('no database')) } })
    expect((await away.post('/e/', EVENT)).status).toBe(503)
    await away.stop()
  })
})

test('a server that is stopping refuses what comes late, with CORS and Retry-After, and ends the connection', async () => {
  const ending = await startCaptureServer()
  const socket = connect(Number(new URL(ending.url).port), '127.0.0.1')
  const heard: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => heard.push(text))
  const accepted = once(ending.app.server, 'connection')
  socket.write('POST /e/ HTTP/1.1\r\nHost: x\r\n')
  await accepted
  const stopped = ending.stop()
  for (let turn = 0; ending.app.server.listening && turn < 10_000; turn++) await new Promise(setImmediate)
  const body = JSON.stringify(EVENT)
  socket.write(`Origin: https://shop.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await once(socket, 'close')
  await stopped
  expect(heard.join('')).toMatch(/^HTTP\/1\.1 503 /)
  expect(heard.join('').toLowerCase()).toContain('access-control-allow-origin: https://shop.example')
  expect(heard.join('').toLowerCase()).toMatch(/retry-after: 5\r\nconnection: close/)
})

test('a bug is answered 500 by the server around it, with CORS, and the next request works', async () => {
  server.log.failure = new Error('a bug')
  const answer = await server.post('/e/', EVENT, { origin: 'https://shop.example' })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([500, 'https://shop.example'])
  server.log.failure = null
  expect((await server.post('/e/', EVENT)).status).toBe(200)
})

test('one bad item never spoils its batch', async () => {
  const batch = [
    { distinct_id: 'u' },
    { event: 'a', distinct_id: '' },
    5,
    null,
    { event: 'good', properties: { distinct_id: 'u' } },
  ]
  expect((await server.post('/batch/', { api_key: KEY, batch })).status).toBe(200)
  expect(server.log.events.map(({ event }) => event)).toEqual(['good'])
  expect(server.log.warnings.map(({ type }) => type)).toEqual([
    'event_without_name',
    'distinct_id_empty',
    'invalid_item_dropped',
    'invalid_item_dropped',
  ])
})

test('all items dropped: still 200, and the warnings are in the log', async () => {
  expect((await server.post('/i/v0/e/', { api_key: KEY, distinct_id: 'u' })).status).toBe(200)
  expect(server.log.events).toHaveLength(0)
  expect(server.log.warnings).toMatchObject([{ type: 'event_without_name', distinctId: 'u' }])
})

describe('CORS', () => {
  test('a preflight mirrors origin and headers', async () => {
    for (const path of [
      '/e/',
      '/batch',
      '/flags/',
      '/s/',
      '/array/phc_test/config',
      '/static/array.js',
      '/api/surveys/',
    ]) {
      const answer = await fetch(server.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,content-encoding',
        },
      })
      expect([answer.status, await answer.text()]).toEqual([200, ''])
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
      expect(answer.headers.get('access-control-allow-headers')).toBe('content-type,content-encoding')
      expect(answer.headers.get('access-control-max-age')).toBeNull()
      expect(answer.headers.get('vary')).toContain('Origin')
    }
  })
  test('an ordinary answer names the origin', async () => {
    const answer = await server.post('/e/', EVENT, { origin: 'null' })
    expect(answer.headers.get('access-control-allow-origin')).toBe('null')
  })
})

test('both spellings also work on a router that overlooks the trailing slash', async () => {
  const other = await startCaptureServer({ ignoreTrailingSlash: true })
  expect((await other.post('/e', EVENT)).status).toBe(200)
  expect((await other.post('/e/', EVENT)).status).toBe(200)
  await other.stop()
})

test('a client that hangs up in the middle of its body harms nobody', async () => {
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  await new Promise<void>((done) => {
    socket.on('close', () => done())
    socket.write('POST /e/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"api', () => socket.destroy())
  })
  expect((await server.post('/e/', EVENT)).status).toBe(200)
})
