import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

const LIST = 'session_recording_playlists/'

describe('playlists over the API', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const create = async (body: unknown = {}) => (await service.api(LIST, { body })).body
  const items = (short: string) => `${LIST}${short}/recordings/`

  describe('every endpoint', () => {
    let short: string
    beforeAll(async () => {
      short = (await create({ name: 'guarded' })).short_id
    })
    const ENDPOINTS: [method: string, path: (id: string) => string, body: unknown][] = [
      ['GET', () => LIST, undefined],
      ['POST', () => LIST, {}],
      ['GET', (id) => `${LIST}${id}/`, undefined],
      ['PATCH', (id) => `${LIST}${id}/`, {}],
      ['PUT', (id) => `${LIST}${id}/`, {}],
      ['DELETE', (id) => `${LIST}${id}/`, undefined],
      ['GET', (id) => items(id), undefined],
      ['POST', (id) => `${items(id)}s1/`, undefined],
      ['DELETE', (id) => `${items(id)}s1/`, undefined],
      ['POST', (id) => `${items(id)}bulk_add/`, { session_recording_ids: ['s1'] }],
      ['POST', (id) => `${items(id)}bulk_delete/`, { session_recording_ids: ['s1'] }],
    ]

    it.each(ENDPOINTS)('%s %s guards its door', async (method, path, body) => {
      const at = path(short)
      expect(await service.api(at, { method, body, key: null })).toMatchObject({
        status: 401,
        body: { code: 'not_authenticated' },
      })
      expect(await service.api(at, { method, body, key: 'phx_wrong' })).toMatchObject({
        status: 401,
        body: { code: 'authentication_failed' },
      })
      expect(await service.api(at, { method, body, key: KEYS.projectTwo })).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      })
      const missing = await service.api(at, { method, body, key: KEYS.personsRead })
      expect(missing).toMatchObject({ status: 403, body: { code: 'permission_denied', attr: null } })
      expect(missing.body.detail).toMatch(/^API key missing required scope 'session_recording_playlist:(read|write)'$/)
    })

    it.each(
      ENDPOINTS.filter(([method, path]) => path('x') !== LIST && !(method === 'DELETE' && path('x').endsWith('x/'))),
    )('%s %s knows nothing of an unknown playlist, nor of one of another project', async (method, path, body) => {
      for (const id of ['nosuchid', short]) {
        const at = `/api/projects/2/${path(id)}`
        expect(await service.api(at, { method, body })).toMatchObject({
          status: 404,
          body: { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null },
        })
      }
    })
  })

  it('creates one out of nothing, with every field', async () => {
    const answer = await service.api(LIST, { method: 'POST', key: KEYS.playlists })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body)).toEqual([
      'id',
      'short_id',
      'name',
      'derived_name',
      'description',
      'pinned',
      'created_at',
      'created_by',
      'deleted',
      'filters',
      'last_modified_at',
      'last_modified_by',
      'recordings_counts',
    ])
    expect(answer.body).toMatchObject({
      name: '',
      derived_name: '',
      description: '',
      pinned: false,
      deleted: false,
      filters: {},
      created_by: { email: 'owner@example.com', role_at_organization: 'engineering', hedgehog_config: {} },
      last_modified_by: { email: 'owner@example.com' },
    })
    expect(answer.body.recordings_counts).toEqual({ saved_filters: {}, collection: { count: 0, watched_count: 0 } })
    expect(answer.body.short_id).toMatch(/^[A-Za-z0-9]{8}$/)
    expect(Number.isInteger(answer.body.id)).toBe(true)
    expect(answer.body.created_at).toMatch(/^\d{4}-.*Z$/)
    expect((await service.api(`${LIST}${answer.body.short_id}`)).body).toEqual(answer.body)
  })

  it('keeps any filters to the letter, and ignores what is not for clients', async () => {
    const text =
      '{"id":7,"short_id":"mine","created_at":"x","filters":{"b":1,"a":[null,9007199254740993,"\\u0000","\\ud800"],"":{}}}'
    const { body } = await service.api(LIST, { method: 'POST', body: text })
    expect(body.short_id).not.toBe('mine')
    const read = await service.api(`${LIST}${body.short_id}/`)
    expect(read.text).toContain('"filters":{"b":1,"a":[null,9007199254740993,"\\u0000","\\ud800"],"":{}}')
    expect((await create({ filters: null })).filters).toBeNull()
    expect((await create({ filters: [1] })).filters).toEqual([1])
  })

  it.each([
    [{ name: 'x'.repeat(401) }, 'max_length', 'name'],
    [{ name: ['x'] }, 'invalid_input', 'name'],
    [{ name: 'a\0b' }, 'invalid_input', 'name'],
    [{ derived_name: {} }, 'invalid_input', 'derived_name'],
    [{ description: null }, 'null', 'description'],
    [{ pinned: 'perhaps' }, 'invalid_input', 'pinned'],
    [{ pinned: null }, 'null', 'pinned'],
    [{ deleted: null }, 'null', 'deleted'],
    [[], 'invalid_input', null],
    ['null', 'invalid_input', null],
    ['"name"', 'invalid_input', null],
  ])('refuses %j', async (body, code, attr) => {
    const { short_id } = await create()
    for (const [method, path] of [
      ['POST', LIST],
      ['PATCH', `${LIST}${short_id}/`],
      ['PUT', `${LIST}${short_id}/`],
    ] as const) {
      const answer = await service.api(path, { method, body })
      expect(answer).toMatchObject({ status: 400, body: { type: 'validation_error', code, attr } })
    }
  })

  it('refuses a body that is no JSON, or not said to be', async () => {
    expect(await service.api(LIST, { method: 'POST', body: '{"name":' })).toMatchObject({
      status: 400,
      body: { type: 'invalid_request', code: 'parse_error' },
    })
    const text = await service.api(LIST, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })
    expect(text.status).toBe(415)
    const unnamed = await fetch(`${service.url}/api/environments/1/${LIST}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.all}` },
      body: Buffer.from('{"name":"x"}'),
    })
    expect([unnamed.status, JSON.parse(await unnamed.text()).detail]).toEqual([
      415,
      'The request has a body and no Content-Type. Send JSON, with Content-Type: application/json.',
    ])
  })

  it('makes nothing of what is no form, though it says so', async () => {
    const before = (await service.api(LIST)).body.count
    for (const [body, words] of [
      ['{"name":"x"}', 'Send Content-Type: application/json.'],
      [' [1]', 'Send Content-Type: application/json.'],
      ['null', 'Send Content-Type: application/json.'],
      ['hello', 'send name=value'],
    ] as const)
      for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
        expect(await service.api(LIST, { method: 'POST', body, headers: { 'content-type': type } })).toMatchObject({
          status: 400,
          body: { code: 'parse_error', detail: expect.stringContaining(words) },
        })
    expect((await service.api(LIST)).body.count).toBe(before)
  })

  it('has text for a name, whatever was sent', async () => {
    expect(await create({ name: null, derived_name: null })).toMatchObject({ name: '', derived_name: '' })
    expect((await service.api(LIST, { method: 'POST', body: '{"name":12345678901234567890}' })).body.name).toBe(
      '12345678901234567890',
    )
    const { short_id } = await create({ name: 'x', derived_name: 'y' })
    const at = `${LIST}${short_id}/`
    expect((await service.api(at, { method: 'PATCH', body: { name: null } })).body).toMatchObject({
      name: '',
      derived_name: 'y',
    })
  })

  it('takes forms too, as scripts send them', async () => {
    const sent = { name: 'from a form', pinned: 'on', filters: '{"date_from":"-7d"}' }
    const made = { name: 'from a form', pinned: true, filters: { date_from: '-7d' }, description: '' }
    const multipart = new FormData()
    for (const [name, value] of Object.entries(sent)) multipart.set(name, value)
    const post = async (body: URLSearchParams | FormData, at = LIST) => {
      const headers = { authorization: `Bearer ${KEYS.all}` }
      const answer = await fetch(`${service.url}/api/environments/1/${at}`, { method: 'POST', headers, body })
      return { status: answer.status, body: JSON.parse(await answer.text()) }
    }
    for (const form of [new URLSearchParams(sent), multipart])
      expect(await post(form)).toMatchObject({ status: 201, body: made })
    expect(await post(new URLSearchParams({ filters: '{' }))).toMatchObject({
      status: 400,
      body: { type: 'validation_error', code: 'invalid_input', attr: 'filters' },
    })
    expect((await post(new URLSearchParams({ name: 'x' }), 'insights/')).status).toBe(415)
  })

  it('is missed before its body is read', async () => {
    for (const method of ['PATCH', 'PUT'])
      expect((await service.api(`${LIST}nosuchid/`, { method, body: { pinned: 'perhaps' } })).status).toBe(404)
    expect((await service.api(`${items('nosuchid')}bulk_add/`, { body: {} })).status).toBe(404)
    expect((await service.api('session_recordings/nosuch/', { method: 'PATCH', body: {} })).status).toBe(404)
  })

  it('remembers who made and changed it, once it has a name', async () => {
    const { short_id, id } = await create({ name: 'remembered' })
    const at = `${LIST}${short_id}/`
    await service.api(at, { method: 'PATCH', body: { name: 'renamed', pinned: true }, key: KEYS.colleague })
    await service.api(at, { method: 'PATCH', body: { pinned: true } })
    const { body } = await service.api(`${at}activity/`)
    expect(body).toMatchObject({
      results: [
        {
          activity: 'updated',
          scope: 'SessionRecordingPlaylist',
          item_id: String(id),
          user: { email: 'colleague@example.com' },
          detail: {
            name: 'renamed',
            short_id,
            changes: [
              { action: 'changed', field: 'name', before: 'remembered', after: 'renamed' },
              { action: 'changed', field: 'pinned', before: false, after: true },
            ],
          },
        },
        { activity: 'created', user: { email: 'owner@example.com' }, detail: { name: 'remembered', changes: [] } },
      ],
      next: null,
      previous: null,
      total_count: 2,
    })
    expect((await service.api(`${LIST}activity/?limit=1`)).body.results).toHaveLength(1)
    expect((await service.api(`${at}activity/`, { key: KEYS.playlists })).status).toBe(403)
    const draft = await create()
    expect((await service.api(`${LIST}${draft.short_id}/activity/`)).body.total_count).toBe(0)
  })

  it('changes what is sent, and notes who changed name, description or filters', async () => {
    const made = await create({ name: '  trimmed  ', description: 5 })
    expect(made).toMatchObject({ name: 'trimmed', description: '5' })
    const at = `${LIST}${made.short_id}/`
    const pinned = await service
      .api(at, {
        method: 'PATCH',
        body: { pinned: 'true', derived_name: 'd', short_id: 'else' },
        key: KEYS.colleague,
      })
      .catch((error) => error)
    expect(pinned.status).toBe(200)
    expect(pinned.body).toMatchObject({
      pinned: true,
      derived_name: 'd',
      short_id: made.short_id,
      last_modified_at: made.last_modified_at,
      last_modified_by: { email: 'owner@example.com' },
    })
    const renamed = (await service.api(at, { method: 'PUT', body: { name: 'trimmed' }, key: KEYS.colleague })).body
    expect(renamed.last_modified_by.email).toBe('colleague@example.com')
    expect(renamed.created_by.email).toBe('owner@example.com')
    expect(renamed.last_modified_at > made.last_modified_at).toBe(true)
    expect(renamed).toMatchObject({ pinned: true, description: '5' })
  })

  it('is taken away by `deleted` and brought back by it', async () => {
    const { short_id } = await create({ name: 'going' })
    const at = `${LIST}${short_id}/`
    expect(await service.api(at, { method: 'PATCH', body: { deleted: true } })).toMatchObject({
      status: 200,
      body: { deleted: true },
    })
    expect((await service.api(at)).status).toBe(404)
    expect((await service.api(items(short_id))).status).toBe(404)
    expect((await service.api(`${items(short_id)}s1/`, { method: 'POST' })).status).toBe(404)
    expect((await service.api(`${LIST}?short_id=${short_id}`)).body.count).toBe(0)
    expect((await service.api(at, { method: 'PATCH', body: { deleted: false } })).status).toBe(200)
    expect((await service.api(at)).status).toBe(200)
  })

  it('refuses to be deleted for good, without a word, whoever it is', async () => {
    const { short_id } = await create({ name: 'staying' })
    for (const id of [short_id, 'nosuchid']) {
      const answer = await service.api(`${LIST}${id}/`, { method: 'DELETE' })
      expect([answer.status, answer.text]).toEqual([405, ''])
    }
    expect((await service.api(`${LIST}${short_id}/`)).body.name).toBe('staying')
  })

  it('holds recordings, added as often as one likes', async () => {
    const { short_id } = await create()
    for (let i = 0; i < 2; i++)
      expect(await service.api(`${items(short_id)}session-1/`, { method: 'POST', key: KEYS.playlists })).toMatchObject({
        status: 200,
        body: { success: true },
      })
    expect(
      (await service.api(`${items(short_id)}bulk_add/`, { body: { session_recording_ids: ['session-1', 's2', 's3'] } }))
        .body,
    ).toEqual({ success: true, added_count: 2, total_requested: 3 })
    const counts = async () => (await service.api(`${LIST}${short_id}/`)).body.recordings_counts.collection
    expect(await counts()).toEqual({ count: 3, watched_count: 0 })
    expect((await service.api(`${LIST}?session_recording_id=s2`)).body.results).toMatchObject([{ short_id }])
    for (let i = 0; i < 2; i++)
      expect((await service.api(`${items(short_id)}s2/`, { method: 'DELETE' })).body).toEqual({ success: true })
    expect(
      (await service.api(`${items(short_id)}bulk_delete/`, { body: { session_recording_ids: ['s2', 's3'] } })).body,
    ).toEqual({ success: true, deleted_count: 1, total_requested: 2 })
    expect(await counts()).toEqual({ count: 1, watched_count: 0 })
    expect((await service.api(items(short_id))).body).toMatchObject({ results: [], has_next: false })
  })

  it.each([
    [{}],
    [{ session_recording_ids: [] }],
    [{ session_recording_ids: 'x' }],
    [{ session_recording_ids: ['a/b'] }],
  ])('refuses to add %j', async (body) => {
    const { short_id } = await create()
    const answer = await service.api(`${items(short_id)}bulk_add/`, { body })
    expect(answer).toMatchObject({ status: 400, body: { type: 'validation_error' } })
    expect(answer.body.attr).toMatch(/^session_recording_ids/)
  })

  describe('the list', () => {
    it('pages through everything, the last changed first', async () => {
      const at = '/api/environments/2/session_recording_playlists/'
      expect((await service.api(at)).body).toEqual({ count: 0, next: null, previous: null, results: [] })
      for (const name of ['a', 'b', 'c']) await service.api(at, { body: { name } })
      const first = (await service.api(`${at}?limit=2`)).body
      expect([first.count, first.previous, first.results.map((one: { name: string }) => one.name)]).toEqual([
        3,
        null,
        ['c', 'b'],
      ])
      const second = (await service.api(first.next.replace(service.url, ''))).body
      expect(second.results.map((one: { name: string }) => one.name)).toEqual(['a'])
      expect(second.next).toBeNull()
      const beyond = (await service.api(`${at}?limit=2&offset=50`)).body
      expect(beyond).toMatchObject({ count: 3, next: null, results: [] })
      const last = await service.api(beyond.previous.replace(service.url, ''))
      expect(last.body.results.map((one: { name: string }) => one.name)).toEqual(['b', 'a'])
      expect((await service.api(`${at}?search=nothing&offset=50`)).body.previous).toBeNull()
      expect((await service.api(second.previous.replace(service.url, ''))).body.results).toHaveLength(2)
    })

    it('finds by what is asked', async () => {
      const at = '/api/environments/2/session_recording_playlists/'
      const made = (await service.api(at, { body: { name: '100% Sure_thing', pinned: true }, key: KEYS.colleague }))
        .body
      await service.api(at, { body: { derived_name: 'sure THING too' } })
      const names = async (query: string) =>
        (await service.api(`${at}?${query}`)).body.results.map((one: { name: string | null }) => one.name)
      expect(await names('search=100%25 sure_')).toEqual([made.name])
      expect(await names('search=sURE')).toHaveLength(2)
      expect(await names('pinned=true')).toEqual([made.name])
      expect(await names('pinned=false&order=name&limit=3')).toEqual(['a', 'b', 'c'])
      expect(await names('order=-id&limit=2')).toEqual(['', made.name])
      expect(await names(`created_by=${made.created_by.id}`)).toEqual([made.name])
      expect(await names('created_by=99999')).toEqual([])
      expect(await names('created_by=99999999999999999999')).toEqual([])
      expect(await names('search=100&limit=99999999999999999999')).toEqual([made.name])
      expect(await names('user=true&search=sure')).toEqual([''])
      expect(await names(`short_id=${made.short_id}`)).toEqual([made.name])
      expect(await names('date_from=-1h&search=100')).toEqual([made.name])
      expect(await names('date_from=-1h&limit=1&offset=1')).toEqual([made.name])
      expect(await names('date_from=2999-01-01')).toEqual([])
      expect(await names('date_to=-1h')).toEqual([])
      await service.api(`${at}${made.short_id}/recordings/in-one/`, { method: 'POST' })
      expect(await names('session_recording_id=in-one')).toEqual([made.name])
      expect(await names('session_recording_id=in-none')).toEqual([])
      expect(await names('unknown=1&search=100')).toEqual([made.name])
    })

    it.each([
      ['limit=x', 'A valid integer is required.'],
      ['limit=1.5', 'A valid integer is required.'],
      ['limit=-1', '"-1" is below 0. Must be 0 or more.'],
      ['offset=-1', '"-1" is below 0. Must be 0 or more.'],
      ['created_by=me', 'A valid integer is required.'],
      ['created_by=-5', '"-5" is below 0. Must be 0 or more.'],
      ['pinned=perhaps', 'Must be a valid boolean.'],
      ['order=secret', /^Order by one of id, short_id.*: "secret" is none of them\.$/],
      ['order=__proto__', /^Order by one of id, short_id/],
      ['order=-constructor', /^Order by one of id, short_id/],
    ])('refuses %s', async (query, detail) => {
      expect(await service.api(`${LIST}?${query}`)).toMatchObject({
        status: 400,
        body: {
          type: 'validation_error',
          attr: query.split('=')[0],
          detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
        },
      })
    })
  })
})
