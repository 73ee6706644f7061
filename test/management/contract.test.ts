import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

/** The management endpoints of the mission's document (section 4): method, path, scope, and what it answers. Null: any valid key. */
const ENDPOINTS: [method: string, path: string, scope: string | null, status: number][] = [
  ['POST', 'query/check_auth_for_async/', null, 200],
  ['GET', 'query/draft_sql/', 'insight:read', 200],
  ['GET', 'session_recording_playlists/', 'session_recording_playlist:read', 200],
  ['POST', 'session_recording_playlists/', 'session_recording_playlist:write', 201],
  ['GET', 'session_recording_playlists/{short_id}/', 'session_recording_playlist:read', 200],
  ['PATCH', 'session_recording_playlists/{short_id}/', 'session_recording_playlist:write', 200],
  ['DELETE', 'session_recording_playlists/{short_id}/', 'session_recording_playlist:write', 405],
  ['GET', 'session_recording_playlists/{short_id}/recordings/', 'session_recording_playlist:read', 200],
  [
    'POST',
    'session_recording_playlists/{short_id}/recordings/{session_recording_id}/',
    'session_recording_playlist:write',
    200,
  ],
  ['POST', 'insights/funnel/correlation/', 'insight:read', 200],
  ['GET', 'insights/my_last_viewed/', 'insight:read', 200],
  ['POST', 'insights/timing/', 'insight:read', 200],
  ['GET', 'insights/trend/', 'insight:read', 200],
  ['POST', 'insights/trend/', 'insight:read', 200],
  ['GET', 'persons/', 'person:read', 200],
  ['GET', 'persons/{person_id}/', 'person:read', 200],
  ['PATCH', 'persons/{person_id}/', 'person:write', 200],
  ['DELETE', 'persons/{person_id}/', 'person:write', 204],
]

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly properties?: object } } }
  }
  readonly responses: Readonly<Record<string, unknown>>
  readonly 'x-scope'?: string
}

interface Answered {
  readonly content: { readonly 'application/json': { readonly schema: { readonly $ref?: string } } }
}

describe('the management API', () => {
  let service: TestService
  let paths: Record<string, Record<string, Operation>>
  let schemas: Record<string, { readonly properties?: object }>
  beforeAll(async () => {
    service = await startTestService()
    await service.capture({ event: 'x', distinct_id: 'somebody', properties: { $set: { email: 'some@body.com' } } })
    await service.stored()
    const { body } = await service.api('/api/schema/', { key: null })
    paths = body.paths
    schemas = body.components.schemas
  })
  afterAll(() => service?.stop())

  const operationOf = (method: string, path: string) =>
    paths[`/api/environments/{project_id}/${path}`]?.[method.toLowerCase()]

  describe.each(ENDPOINTS)('%s %s', (method, path, scope, status) => {
    const ask = async (more: { key?: string | null; path?: string; body?: unknown } = {}) => {
      const ids = await anybody()
      const filled = (more.path ?? path).replace(/\{(\w+)\}/g, (_, name) => ids[name as keyof typeof ids])
      const body = 'body' in more ? more.body : method === 'PATCH' || method === 'POST' ? { properties: {} } : undefined
      return service.api(filled, { method, key: more.key === undefined ? KEYS.all : more.key, body })
    }
    const anybody = async () => ({
      person_id: String((await service.api('persons/')).body.results[0]?.id ?? 1),
      short_id: (await service.api('session_recording_playlists/')).body.results[0]?.short_id ?? 'none',
      session_recording_id: 'session-1',
    })

    it('is described with its scope and statuses', () => {
      const operation = operationOf(method, path) as Operation
      expect(operation, 'it stands in the schema').toBeDefined()
      expect(operation['x-scope'] ?? null).toBe(scope)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([String(status), '401', '403']))
    })

    it('refuses nobody, a bad key, a key without the scope and strangers to the project', async () => {
      expect(await ask({ key: null })).toMatchObject({
        status: 401,
        body: { type: 'authentication_error', code: 'not_authenticated', attr: null },
      })
      expect((await ask({ key: 'phx_bad' })).body.code).toBe('authentication_failed')
      expect((await ask({ key: null, ...(method === 'GET' ? {} : { body: '{' }) })).status).toBe(401)
      if (scope !== null) {
        const weak = scope.startsWith('person') ? KEYS.insightsRead : KEYS.personsRead
        expect(await ask({ key: weak })).toMatchObject({
          status: 403,
          body: { code: 'permission_denied', detail: `API key missing required scope '${scope}'` },
        })
      }
      expect((await ask({ key: KEYS.projectTwo })).body.detail).toBe(
        'API key does not have access to the requested project: ID 1.',
      )
      const elsewhere = `/api/environments/99/${path}`.replace(/\{\w+\}/g, '1')
      expect((await service.api(elsewhere, { method })).body).toMatchObject({
        code: 'not_found',
        detail: 'Project not found.',
      })
    })

    it('refuses a body that is no JSON and ids that nobody has', async () => {
      if (method !== 'GET' && method !== 'DELETE') expect((await ask({ body: '{"a":' })).body.code).toBe('parse_error')
      if (path.includes('{person_id}'))
        expect((await ask({ path: path.replace('{person_id}', '987654') })).status).toBe(404)
      if (path.includes('{short_id}') && method !== 'DELETE')
        expect((await ask({ path: path.replace('{short_id}', 'nothere1') })).status).toBe(404)
    })

    it(`answers ${status}, with and without the slash at the end, under both prefixes`, async () => {
      if (path === 'session_recording_playlists/{short_id}/')
        await service.api('session_recording_playlists/', { body: { name: 'x' } })
      const first = await ask()
      expect(first.status, first.text).toBe(status)
      if (status === 204 || status === 405) expect(first.text).toBe('')
      if (method !== 'DELETE') {
        expect((await ask({ path: path.slice(0, -1) })).status).toBe(status)
        expect((await ask({ path: `/api/projects/1/${path}` })).status).toBe(status)
      }
    })
  })

  it('lists the projects and takes events where the document says so', async () => {
    expect(Object.keys(paths['/api/projects/'] ?? {})).toContain('get')
    expect((await service.api('/api/projects/')).body.results.map(({ id }: { id: number }) => id)).toContain(1)
    for (const path of ['/i/v0/e/', '/batch/']) {
      expect(Object.keys(paths[path] ?? {})).toEqual(['post'])
      expect((await service.api(path, { key: null, body: {} })).status, path).not.toBe(404)
    }
  })

  it('answers an address that nobody knows with 404, so that the tests above mean something', async () => {
    const { status, body } = await service.api('insights/trends/')
    expect([status, body.code]).toEqual([404, 'not_found'])
    expect((await service.api('no/such/address/')).body.detail).toBe('Endpoint not found.')
  })

  // Section 4.3 and 4.4: every endpoint of insights and persons takes `format`, csv or json.
  it.each(ENDPOINTS.filter(([method, path]) => /^(insights|persons)/.test(path) && method !== 'DELETE'))(
    '%s %s answers as CSV too',
    async (method, path) => {
      await service.capture({ event: 'x', distinct_id: 'of the table' })
      const person = await service.waitFor(
        async () => (await service.api('persons/?distinct_id=of the table')).body.results[0],
        'the person',
      )
      const filled = path.replace('{person_id}', String(person.id))
      const body = method === 'GET' ? undefined : { properties: {} }
      const csv = await service.api(`${filled}?format=csv`, { method, body })
      expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      expect((await service.api(`${filled}?format=json`, { method, body })).body).toBeTypeOf('object')
      expect((await service.api(`${filled}?format=xml`, { method, body })).status).toBe(404)
    },
  )

  it.each([
    ['an insight that is no text', 'insights/trend/', { insight: { toString: null }, events: [{ id: 'x' }] }, 200],
    ['an event that is no text', 'insights/trend/', { events: [{ id: { toString: null } }] }, 400],
    ['an entity that is no text', 'persons/trends/', { entity_id: { toString: null }, events: [{ id: 'x' }] }, 200],
    ['half of a character', 'insights/', { query: { kind: 'TrendsQuery', series: [{ period: '\ud800' }] } }, 201],
    ['a name that reads as an exact number', 'dashboards/', { name: '\ue0f712' }, 400],
  ])('takes or refuses %s, and does not fail', async (_what, path, body, status) => {
    expect((await service.api(path, { body })).status).toBe(status)
  })

  it('writes a file of persons with a limit beyond all numbers of the database', async () => {
    expect((await service.api('persons/?format=csv&limit=18446744073709552000')).status).toBe(200)
  })

  it('says which methods an address has', async () => {
    const options = await service.api('persons/', { method: 'OPTIONS', key: null })
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, 'GET, HEAD, OPTIONS', ''])
    expect((await service.api('insights/timing/', { method: 'GET' })).headers.get('allow')).toBe('POST, OPTIONS')
  })

  it('takes the scheme of the key in any case, and says which scheme it takes', async () => {
    const asked = async (authorization: string) => {
      const answer = await service.api('persons/', { key: null, headers: { authorization } })
      return [answer.status, answer.body.detail] as const
    }
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect((await asked(`${scheme} ${KEYS.all}`))[0]).toBe(200)
    const send = 'Send "Authorization: Bearer <personal API key>".'
    expect(await asked(`Token ${KEYS.all}`)).toEqual([
      401,
      `The Authorization header has the scheme "Token", which is not supported. ${send}`,
    ])
    expect(await asked(KEYS.all)).toEqual([401, `The Authorization header does not begin with a scheme. ${send}`])
    expect(await asked('Bearer')).toEqual([401, `The Authorization header has no key after "Bearer". ${send}`])
    expect((await asked(`Bearer ${KEYS.all} x`))[1]).toContain('more than one word')
  })

  it('says so when nothing it can write is wanted', async () => {
    const asked = (accept: string) =>
      fetch(`${service.url}/api/environments/1/persons/`, { headers: { ...auth, accept } })
    const auth = { authorization: `Bearer ${KEYS.all}` }
    const refused = await asked('application/xml')
    expect([refused.status, await refused.json()]).toMatchObject([406, { code: 'not_acceptable' }])
    for (const accept of ['*/*', 'application/json', 'text/html,application/xhtml+xml,*/*;q=0.8', 'text/csv'])
      expect((await asked(accept)).status).toBe(200)
  })

  it.each(['insights/trend/', 'insights/funnel/', 'insights/funnel/correlation/', 'insights/timing/'])(
    '%s refuses a body that is no object, and filters and events that are none',
    async (path) => {
      for (const [body, kind] of [
        ['[1]', 'list'],
        ['null', 'null'],
        ['"x"', 'string'],
      ] as const)
        expect((await service.api(path, { method: 'POST', body })).body).toEqual({
          type: 'validation_error',
          code: 'invalid_input',
          detail: `Invalid data. Expected a dictionary, but got ${kind}.`,
          attr: null,
        })
      if (path === 'insights/timing/') return
      expect(await service.api(path, { body: { filters: 5 } })).toMatchObject({
        status: 400,
        body: { attr: 'filters' },
      })
      expect(await service.api(path, { body: { events: 5 } })).toMatchObject({ status: 400, body: { attr: 'events' } })
    },
  )

  it('describes itself for people too, without anything from elsewhere', async () => {
    const page = await service.api('/api/docs', { key: null })
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.text).toContain('persons/{person_id}/')
    expect(page.text).not.toMatch(/<script|src=|https?:\/\/(?!127)/)
  })

  it('describes the parameters, fields and answers of the document with their types', () => {
    const parameter = (path: string, name: string) =>
      operationOf('GET', path)?.parameters.find((each) => each.name === name)?.schema
    for (const name of ['limit', 'offset', 'created_by'])
      expect(parameter('session_recording_playlists/', name)).toMatchObject({ type: 'integer' })
    expect(parameter('persons/', 'limit')).toMatchObject({ type: 'integer' })
    expect(parameter('persons/', 'properties')).toMatchObject({ type: 'array' })
    expect(parameter('persons/', 'format')).toMatchObject({ enum: ['csv', 'json'] })
    const fields = (method: string, path: string) =>
      Object.keys(operationOf(method, path)?.requestBody?.content['application/json'].schema.properties ?? {})
    const ofPlaylist = ['name', 'derived_name', 'description', 'pinned', 'deleted', 'filters']
    expect(fields('POST', 'session_recording_playlists/')).toEqual(ofPlaylist)
    expect(fields('POST', 'session_recording_playlists/{short_id}/recordings/{session_recording_id}/')).toEqual(
      ofPlaylist,
    )
    expect(fields('PATCH', 'persons/{person_id}/')).toEqual(['properties'])
    for (const path of ['insights/trend/', 'insights/funnel/correlation/', 'insights/timing/'])
      expect(fields('POST', path), path).toEqual(
        expect.arrayContaining('name derived_name filters query order deleted dashboards tags saved'.split(' ')),
      )
    const answer = (method: string, path: string, status: number) => {
      const described = operationOf(method, path)?.responses[status] as Answered | undefined
      const schema: { $ref?: string; properties?: object } = described?.content['application/json'].schema ?? {}
      return (schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema).properties
    }
    expect(Object.keys(answer('POST', 'session_recording_playlists/', 201) ?? {})).toHaveLength(13)
    expect(answer('GET', 'session_recording_playlists/', 200)).toMatchObject({ count: { type: 'integer' } })
    expect(answer('GET', 'persons/{person_id}/', 200)).toMatchObject({ name: { type: 'string' } })
  })

  it('describes capture', () => {
    expect(Object.keys(paths['/batch/']?.post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '413']),
    )
    expect(paths['/i/v0/e/']).toHaveProperty('post')
  })

  it('answers whatever the description allows, and whatever it does not, without failing itself', async () => {
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(() => path.startsWith('/api/') && !path.endsWith('/live/'))
        .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '',
        '0',
        '-1',
        '1',
        'true',
        'null',
        "'",
        '"',
        '\\',
        '%00',
        '{',
        '[]',
        '[{"key":"a","value":{}}]',
        '../..',
        '9'.repeat(30),
        '\u0000',
        'csv',
      ),
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    )
    let asked = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...operations),
        fc.infiniteStream(nasty),
        fc.infiniteStream(fc.jsonValue({ maxDepth: 3 })),
        fc.boolean(),
        async ({ path, method, operation }, texts, values, whole) => {
          const next = () => texts.next().value as string
          const url = path.replace(/\{(\w+)\}/g, (_, name) =>
            name === 'project_id' ? '1' : encodeURIComponent(next()) || 'x',
          )
          const query = new URLSearchParams()
          for (const { name, in: where } of operation.parameters)
            if (where === 'query' && next().length % 2 === 0) query.set(name, next())
          const fields = Object.keys(operation.requestBody?.content['application/json'].schema.properties ?? {})
          const body = whole
            ? values.next().value
            : Object.fromEntries(fields.map((field) => [field, values.next().value]))
          const answer = await service.api(`${url}?${query}`, {
            method,
            ...(operation.requestBody ? { body: JSON.stringify(body) } : {}),
          })
          asked++
          expect(answer.status, `${method} ${url}?${query} ${JSON.stringify(body)} -> ${answer.text}`).toBeLessThan(500)
        },
      ),
      { numRuns: 400 },
    )
    expect(asked).toBeGreaterThanOrEqual(400)
  })
})
