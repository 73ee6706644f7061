import net from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

/** The whole service against clients that mean harm, or speak HTTP badly. */
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.stop())

/** Says this on a bare connection; resolves with everything that came back when the other side has closed it, or has given `answers`. */
function wire(text: string, answers = 1): Promise<string> {
  return new Promise((done, failed) => {
    const socket = net.connect(Number(new URL(service.url).port), '127.0.0.1')
    let heard = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      heard += piece
      if ([...heard.matchAll(/HTTP\/1\.1 (?!100)/g)].length >= answers && /\}$|\r\n\r\n$/.test(heard)) socket.destroy()
    })
    socket.once('error', failed).once('close', () => done(heard))
    socket.write(text, 'latin1')
  })
}
const statuses = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
const EVENT = JSON.stringify({ api_key: TOKENS.one, event: 'by wire', distinct_id: 'somebody' })
const LENGTH = `Content-Length: ${EVENT.length}\r\n`
const post = (headers: string, { path = '/i/v0/e/', body = EVENT } = {}) =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\n${headers}\r\n${body}`
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

describe('HTTP on the wire', () => {
  it.each([
    ['in chunks', post('Transfer-Encoding: chunked\r\n', { body: chunked(EVENT) })],
    ['with shouted header names', post(`CONTENT-LENGTH: ${EVENT.length}\r\nCONTENT-TYPE: text/plain\r\n`)],
    ['with the address in full', post(LENGTH, { path: 'http://here/i/v0/e/' })],
    ['that wants to become something else', post(`Connection: Upgrade\r\nUpgrade: websocket\r\n${LENGTH}`)],
  ])('an event %s is taken', async (_, text) => {
    expect(statuses(await wire(text))).toEqual([200])
  })

  it('an event that waits to be told to go on is told so, and taken', async () => {
    expect(statuses(await wire(post(`Expect: 100-continue\r\n${LENGTH}`)))).toEqual([100, 200])
  })

  it('requests one behind the other are answered in their order', async () => {
    const health = 'GET /_health HTTP/1.1\r\nHost: here\r\n\r\n'
    const heard = await wire(post(LENGTH) + health + post('Content-Length: 2\r\n', { body: '{}' }) + health, 4)
    expect(statuses(heard)).toEqual([200, 200, 401, 200])
    expect(heard.indexOf('"Ok"')).toBeLessThan(heard.indexOf('"alive"'))
  })

  it('a body that nobody wanted is not taken for the next request', async () => {
    const smuggled = 'GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n'
    for (const path of ['/nowhere', '/api/environments/1/persons/'])
      expect(await wire(post(`Content-Length: ${smuggled.length}\r\n`, { path, body: smuggled }))).not.toContain(
        'footfall_',
      )
  })

  it.each([
    ['two lengths', post(`${LENGTH}Content-Length: 5\r\n`)],
    ['a length and chunks', post(`${LENGTH}Transfer-Encoding: chunked\r\n`, { body: chunked(EVENT) })],
    ['chunks of an unknown kind', post('Transfer-Encoding: xchunked\r\n', { body: chunked(EVENT) })],
    ['two codings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', { body: chunked(EVENT) })],
    ['a negative length', post('Content-Length: -1\r\n')],
    ['a length in hexadecimal', post('Content-Length: 0x10\r\n')],
    ['a space before the colon', post(`Content-Length : ${EVENT.length}\r\n`)],
    ['lines that end without a return', post(LENGTH).replaceAll('\r\n', '\n')],
    ['a control character in a header', post(`Origin: https://a\u0001b\r\n${LENGTH}`)],
    ['something that is no HTTP', '\u0016\u0003\u0001 hello\r\n\r\n'],
  ])('a request with %s is refused in the one shape of errors, and the connection ends', async (_, text) => {
    const heard = await wire(text)
    expect(statuses(heard)).toEqual([400])
    expect(heard).toContain('connection: close')
    expect(JSON.parse(heard.split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'malformed_request', attr: null })
  })

  it('too many headers are refused as such', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => `a${n}: b\r\n`).join('')
    expect(await wire(`GET /_health HTTP/1.1\r\nHost: here\r\n${many}\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [\s\S]*"headers_too_large"/,
    )
  })

  it.each([
    '/assets/../../../../../etc/passwd',
    '/assets/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/static/..%5c..%5c..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '//etc/passwd',
    '/assets/index.html%00.js',
  ])('%s leads nowhere', async (path) => {
    const heard = await wire(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`)
    expect(statuses(heard)[0]).toBeOneOf([400, 404])
    expect(heard).not.toMatch(/root:|"dependencies"/)
  })
})

describe('answers', () => {
  it('tell browsers not to guess, not to keep, and not to show a page inside another', async () => {
    for (const path of ['/', '/api/docs/', '/api/projects/', '/api/nowhere', '/_health'])
      expect((await service.api(path)).headers.get('x-content-type-options'), path).toBe('nosniff')
    for (const path of ['/api/projects/', '/api/environments/1/persons/', '/api/environments/1/events/?format=csv'])
      expect((await service.api(path)).headers.get('cache-control'), path).toBe('no-store')
    for (const path of ['/', '/sign-in', '/project/1', '/shared/x', '/api/docs/']) {
      const policy = (await service.api(path)).headers.get('content-security-policy') ?? ''
      expect(policy, path).toContain("frame-ancestors 'none'")
      expect(policy.replace(/style-src[^;]*/, ''), path).not.toMatch(/unsafe-inline|unsafe-eval/)
    }
    expect((await service.api('/')).headers.get('referrer-policy')).toBe('no-referrer')
    const withMedia = await service.api('/project/1/recordings/x?recorded_media=on')
    expect(withMedia.headers.get('content-security-policy')).toContain("img-src 'self' data: blob: https: http:;")
  })

  it('allow pages of others to send events, and nothing else', async () => {
    const headers = { origin: 'https://evil.example' }
    for (const path of ['/api/projects/', '/api/environments/1/persons/', '/api/login/', '/', '/metrics']) {
      const answer = await service.api(path, { headers })
      expect(answer.headers.get('access-control-allow-origin'), path).toBeNull()
      const preflight = await service.api(path, { method: 'OPTIONS', key: null, headers })
      expect(preflight.headers.get('access-control-allow-origin'), path).toBeNull()
    }
    const sent = await fetch(`${service.url}/e/`, { method: 'POST', headers, body: EVENT })
    expect(sent.headers.get('access-control-allow-origin')).toBe('https://evil.example')
  })
})

describe('what a client sends', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  it.each([1_000, 5_000, 20_000, 200_000])('nested %i deep makes no request fail by itself', async (depth) => {
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    await service.capture({ event: 'known', distinct_id: 'known' })
    const person = await service.waitFor(async () => (await service.api('persons/')).body.results[0], 'a person')
    const asked = await Promise.all([
      service.api(`persons/${person.id}/`, { method: 'PATCH', body: `{"properties":{"a":${nested(depth)}}}` }),
      service.api('insights/trend/', { body: `{"properties":${objects}}` }),
      service.api('insights/', { body: `{"query":${objects}}` }),
      service.api('session_recording_playlists/', { body: `{"filters":${objects}}` }),
      service.api('query/', { body: `{"query":{"kind":"HogQLQuery","query":"select 1","values":${objects}}}` }),
      service.api('/api/users/@me/', { method: 'PATCH', body: `{"hedgehog_config":${objects}}` }),
    ])
    for (const { status, text } of asked) expect(status, text.slice(0, 200)).toBeLessThan(500)
    const name = `deep ${depth}`
    const event = `{"api_key":"${TOKENS.one}","event":"${name}","distinct_id":"deep","properties":{"a":${nested(depth)}}}`
    expect((await fetch(`${service.url}/i/v0/e/`, { method: 'POST', body: event })).status).toBeLessThan(500)
    const seen = (text: string) => text.includes(name)
    await service.waitFor(
      async () =>
        seen((await service.api(`events/?event=${name}`)).text) ||
        seen((await service.api('ingestion_warnings/')).text),
      'the event, or a warning about it',
    )
  })

  it.each([
    'annotations/?dashboard_item=2147483648',
    'annotations/?dashboard_item=18446744073709552000',
    'session_recordings/matching_events/?session_ids={"toString":false}',
    'session_recordings/?session_ids=[{"toString":false}]&distinct_ids=[{"toString":null}]',
    'feature_flags/?tags=["a",{"toString":null}]',
    'insights/funnel/correlation/?events=[{"id":"a"},{"id":"b"}]&funnel_correlation_event_names=[{"toString":1}]',
  ])('that fits no column or is no text is no failure of ours: %s', async (path) => {
    const { status, text } = await service.api(path)
    expect(status, text).toBeLessThan(500)
  })

  it('under names that mean something to JavaScript comes back as it was sent, and changes nothing', async () => {
    const properties =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"toString":"x","hasOwnProperty":1'
    const body = `{"api_key":"${TOKENS.one}","event":"proto","distinct_id":"__proto__","properties":${properties},"$set":{"__proto__":{"a":1},"constructor":5}}}`
    expect((await fetch(`${service.url}/i/v0/e/`, { method: 'POST', body })).status).toBe(200)
    const { text } = await service.waitFor(async () => {
      const answer = await service.api('events/?event=proto')
      return answer.text.includes('"proto"') && answer
    }, 'the event')
    expect(text).toContain(`"properties":${properties},"$set":{"__proto__":{"a":1},"constructor":5}`)
    const found = await service.api('persons/?distinct_id=__proto__')
    expect(found.text).toContain('"__proto__":{"a":1}')
    for (const path of [
      'persons/',
      'events/',
      'insights/trend/?events=[{"id":"proto"}]&breakdown=__proto__&breakdown_type=event',
    ])
      expect((await service.api(path)).status, path).toBe(200)
    const patched = await service.api(`persons/${found.body.results[0].id}/`, {
      method: 'PATCH',
      key: KEYS.persons,
      body: '{"properties":{"__proto__":{"polluted":2},"constructor":"c"}}',
    })
    expect(patched.body).toMatchObject({ properties: { constructor: 'c' } })
    expect(patched.text).toContain('"__proto__":{"polluted":2}')
    // Only that person has it: nothing else of the service inherits from it.
    for (const path of ['/api/users/@me/', '/api/projects/', 'persons/?distinct_id=nobody'])
      expect((await service.api(path)).text, path).not.toContain('polluted')
  })
})

describe('whoever guesses passwords', () => {
  it('cannot hide behind addresses that he makes up', async () => {
    const guess = (n: number) =>
      service.api('/api/login/', {
        key: null,
        body: { email: `somebody-${n}@example.com`, password: 'wrong' },
        headers: { 'x-forwarded-for': `198.51.100.${n}` },
      })
    const answers: number[] = []
    for (let n = 0; n < 55; n++) answers.push((await guess(n)).status)
    expect(answers.filter((status) => status === 401)).toHaveLength(50)
    expect(answers.slice(50)).toEqual([429, 429, 429, 429, 429])
  })
})
