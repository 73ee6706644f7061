import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CaptureServer, KEY, PROJECT, startCaptureServer } from '../../../test/support/capture-server.ts'
import type { ProjectSettings } from '../projects/project-directory.ts'
import { remoteConfig } from './remote-config.ts'

let server: CaptureServer
let project: ProjectSettings = PROJECT
beforeAll(async () => {
  server = await startCaptureServer({ projects: { find: (token) => (token === KEY ? project : undefined) } })
})
afterAll(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers })
const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>

describe('remote config', () => {
  test('keeps capture good and everything else off', async () => {
    const config = await json(get(`/array/${KEY}/config`))
    expect(config).toMatchObject({
      supportedCompression: ['gzip', 'gzip-js'],
      autocapture_opt_out: false,
      hasFeatureFlags: false,
      analytics: { endpoint: '/i/v0/e/' },
      sessionRecording: { endpoint: '/s/' },
      surveys: false,
    })
  })
  test('follows the settings of the project at once', async () => {
    project = { ...PROJECT, autocaptureOptOut: true, sessionRecordingOptIn: false }
    expect(await json(get(`/array/${KEY}/config`))).toMatchObject({
      autocapture_opt_out: true,
      sessionRecording: false,
    })
    project = PROJECT
    expect((await get(`/array/${KEY}/config`)).headers.get('cache-control')).toBe('no-cache')
  })
  test('as a script, alone and before the SDK', async () => {
    for (const name of ['config.js', 'array.js']) {
      const answer = await get(`/array/${KEY}/${name}`)
      expect(answer.headers.get('content-type')).toMatch(/javascript/)
      const script = await answer.text()
      const window: { _POSTHOG_REMOTE_CONFIG?: Record<string, unknown> } = {}
      new Function('window', script.slice(0, script.indexOf('})();') + 5))(window)
      expect(window._POSTHOG_REMOTE_CONFIG).toEqual({ [KEY]: { config: remoteConfig(PROJECT), siteApps: [] } })
      if (name === 'array.js') expect(script.length).toBeGreaterThan(100_000)
    }
  })
  test('of an unknown project does not exist', async () => {
    for (const name of ['config', 'config.js', 'array.js'])
      expect((await get(`/array/phc_nobody/${name}`)).status).toBe(404)
  })
})

describe('flags', () => {
  const question = { token: KEY, distinct_id: 'u', groups: {} }
  test('version 2: none', async () => {
    expect(await json(server.post('/flags/?v=2', question))).toEqual({
      flags: {},
      errorsWhileComputingFlags: false,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      evaluatedAt: expect.any(Number),
    })
  })
  test('with the configuration when asked', async () => {
    expect(await json(server.post('/flags/?v=2&config=true', question))).toMatchObject({
      flags: {},
      ...remoteConfig(PROJECT),
    })
  })
  test('without a version: the older shape', async () => {
    expect(await json(server.post('/flags', question))).toMatchObject({ featureFlags: {}, featureFlagPayloads: {} })
  })
  test('in every encoding, by either name of the key', async () => {
    const text = JSON.stringify({ api_key: KEY, distinct_id: 'u' })
    const form = `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`
    for (const body of [text, gzipSync(text), form])
      expect((await server.post('/flags/?v=2&compression=base64', body)).status).toBe(200)
  })
  test('of nobody: 401; no JSON: 400', async () => {
    expect((await server.post('/flags/?v=2', { distinct_id: 'u' })).status).toBe(401)
    expect((await server.post('/flags/?v=2', { ...question, token: 'phc_nobody' })).status).toBe(401)
    expect((await server.post('/flags/?v=2', '')).status).toBe(401)
    expect((await server.post('/flags/?v=2', '{')).status).toBe(400)
    expect((await server.post('/flags/?v=2', '[]')).status).toBe(400)
  })
  test('about nobody: 400, and says what is missing', async () => {
    for (const distinct_id of [undefined, null, ' ']) {
      const answer = await server.post('/flags/?v=2', { token: KEY, distinct_id })
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'required', attr: 'distinct_id' }])
    }
  })
  test('about the empty id: an answer, because SDKs send it before they know who it is', async () => {
    expect((await server.post('/flags/?v=2', { token: KEY, distinct_id: '' })).status).toBe(200)
  })
  test('numbers that JSON does not have count as null', async () => {
    const body = `{"token":"${KEY}","distinct_id":"u","person_properties":{"a":NaN,"b":-Infinity,"c":"NaN"}}`
    expect((await server.post('/flags/?v=2', body)).status).toBe(200)
  })
  test('without anything asked: what there is; HEAD too', async () => {
    expect(await json(get('/flags'))).toEqual({ flags: {}, supportedCompression: ['gzip', 'gzip-js'] })
    expect((await fetch(`${server.url}/flags/`, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${server.url}/flags/`, { method: 'PUT' })).status).toBe(405)
  })
  test('decide: a list in version 1, then a map, with the configuration always', async () => {
    const of = (query: string) => json(server.post(`/decide/${query}`, question))
    expect(await of('')).toMatchObject({ featureFlags: [], sessionRecording: { endpoint: '/s/' } })
    expect(await of('?v=2')).toMatchObject({ featureFlags: {}, config: { enable_collect_everything: true } })
    expect(await of('?v=3')).toMatchObject({
      featureFlags: {},
      featureFlagPayloads: {},
      errorsWhileComputingFlags: false,
    })
    expect(await of('?v=4')).toMatchObject({ flags: {}, featureFlags: {} })
  })
})

test('lists of what there is not', async () => {
  for (const [path, body] of [
    ['/api/surveys/', { surveys: [] }],
    ['/api/web_experiments/', { experiments: [] }],
    ['/api/early_access_features/', { earlyAccessFeatures: [] }],
    ['/api/product_tours', { product_tours: [] }],
  ] as const) {
    expect(await json(get(`${path}?token=${KEY}`))).toEqual(body)
    expect((await get(path)).status).toBe(401)
  }
})

describe('the scripts of posthog-js', () => {
  test('with and without a version in the path', async () => {
    for (const path of [
      '/static/array.js',
      '/static/1.445.5/surveys.js',
      '/static/lazy-recorder.js?v=1.350.0',
      '/static/recorder.js',
    ]) {
      const answer = await get(path, { origin: 'https://shop.example' })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toMatch(/javascript/)
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=\d{5,}/)
      expect((await answer.text()).length).toBeGreaterThan(10_000)
    }
  })
  test('are not sent again to who has them', async () => {
    const etag = (await get('/static/array.js')).headers.get('etag') as string
    const answer = await get('/static/array.js', { 'if-none-match': etag })
    expect([answer.status, await answer.text()]).toEqual([304, ''])
    expect((await get('/static/array.js', { 'if-none-match': '"other"' })).status).toBe(200)
  })
  test('nothing else can be read through them', async () => {
    const { hostname, port } = new URL(server.url)
    const raw = (path: string) =>
      new Promise<number>((resolve, reject) => {
        request({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode ?? 0))
          .on('error', reject)
          .end()
      })
    for (const path of [
      '/static/../package.json',
      '/static/..%2fpackage.json',
      '/static/1/..%2f..%2fpackage.json',
      '/static/%2e%2e/package.json',
      '/static/src',
      '/static/nothing.js',
      '/static/array.d.ts',
      '/static/',
      '/static/array.js%00',
      '/static/__proto__',
    ])
      expect([path, await raw(path)]).toEqual([path, 404])
  })
})
