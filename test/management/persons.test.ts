import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

interface Listing {
  count: number
  next: string | null
  results: { distinct_ids: string[] }[]
}

const PEOPLE = [
  {
    id: 'ada',
    set: { app: '1.2.10', email: 'ada@example.com', age: 36, plan: 'pro', joined: '2024-03-01T10:00:00Z', admin: true },
  },
  {
    id: 'bob',
    set: {
      app: 'v1.10.0-beta',
      email: 'Bob@Example.com',
      age: 20,
      plan: 'free',
      joined: '2023-01-15',
      tags: ['a', 'b'],
    },
  },
  { id: 'cy', set: { app: '1.9', email: 'cy@other.org', age: '41', plan: 'pro plus', note: 'says "hi",\nbye' } },
  { id: 'dan', set: { name: 'Dan', score: 1.5, nothing: null } },
  { id: 'eve', set: { email: "eve'; DROP TABLE persons; --@example.com", age: -1 } },
]

describe('persons', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture(
      PEOPLE.map(({ id, set }, i) => ({
        event: '$identify',
        distinct_id: id,
        timestamp: `2024-05-0${i + 1}T00:00:00Z`,
        properties: { $set: set },
      })),
    )
    await service.capture(
      { event: 'x', distinct_id: 'ada', properties: { $set: { email: 'two@example.com' } } },
      TOKENS.two,
    )
    await service.stored()
  })
  afterAll(() => service?.stop())

  const list = (query: { [name: string]: string | undefined }) =>
    service.api(`persons/?${new URLSearchParams(query as Record<string, string>)}`)
  const ids = async (query: Record<string, string>): Promise<string[]> => {
    const { status, body, text } = await list(query)
    expect(status, text).toBe(200)
    return body.results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0])
  }
  const personOf = async (id: string) => (await list({ distinct_id: id })).body.results[0]
  const by = (...filters: object[]) => ids({ properties: JSON.stringify(filters) })
  const only = (operator: string, value: unknown, key = 'age') => by({ key, operator, value, type: 'person' })

  describe('are listed', () => {
    it('newest first, with everything the document promises', async () => {
      const { body } = await list({})
      expect(body).toMatchObject({ count: 5, next: null, previous: null })
      expect(body.results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0])).toEqual([
        'eve',
        'dan',
        'cy',
        'bob',
        'ada',
      ])
      expect(body.results[4]).toMatchObject({
        id: expect.any(Number),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'ada@example.com',
        distinct_ids: ['ada'],
        properties: { email: 'ada@example.com', age: 36, admin: true },
        created_at: '2024-05-01T00:00:00.000Z',
        is_identified: expect.any(Boolean),
      })
      expect(body.results[1].name).toBe('Dan')
    })

    it('by distinct id, e-mail and search', async () => {
      expect(await ids({ distinct_id: 'bob' })).toEqual(['bob'])
      expect(await ids({ email: 'ada@example.com' })).toEqual(['ada'])
      expect(await ids({ email: 'ada@' })).toEqual([])
      expect(await ids({ search: 'EXAMPLE.com' })).toEqual(['eve', 'bob', 'ada'])
      expect(await ids({ search: 'dan' })).toEqual(['dan'])
      expect(await ids({ search: 'da' })).toEqual(['ada'])
      expect(await ids({ search: (await personOf('cy')).uuid })).toEqual(['cy'])
      expect(await ids({ distinct_id: 'bob', email: 'ada@example.com' })).toEqual([])
      expect(await ids({ search: '%' })).toEqual([])
    })

    it.each([
      ['exact', '36', ['ada']],
      ['exact', 36, ['ada']],
      ['exact', ['36', 20], ['bob', 'ada']],
      ['exact', 41, ['cy']],
      ['is_not', 36, ['eve', 'dan', 'cy', 'bob']],
      ['gt', 20, ['cy', 'ada']],
      ['gte', '20', ['cy', 'bob', 'ada']],
      ['lt', 20, ['eve']],
      ['lte', 20, ['eve', 'bob']],
      ['between', [20, 36], ['bob', 'ada']],
      ['not_between', [20, 36], ['eve', 'dan', 'cy']],
      ['is_set', 'is_set', ['eve', 'cy', 'bob', 'ada']],
      ['is_not_set', undefined, ['dan']],
    ])('where age %s %j', async (operator, value, expected) => expect(await only(operator, value)).toEqual(expected))

    it.each([
      ['plan', 'icontains', 'PRO', ['cy', 'ada']],
      ['plan', 'not_icontains', 'pro', ['eve', 'dan', 'bob']],
      ['plan', 'regex', '^pro( plus)?$', ['cy', 'ada']],
      ['plan', 'not_regex', '^pro', ['eve', 'dan', 'bob']],
      ['plan', 'starts_with', 'fr', ['bob']],
      ['plan', 'ends_with', 'plus', ['cy']],
      ['admin', 'exact', ['true'], ['ada']],
      ['score', 'exact', '1.50', ['dan']],
      ['nothing', 'is_set', undefined, []],
      ['joined', 'is_date_after', '2023-06-01', ['ada']],
      ['joined', 'is_date_before', '2024-01-01', ['bob']],
      ['joined', 'is_date_exact', '2024-03-01', ['ada']],
      ['plan', 'is_date_before', '2024-01-01', []],
      ['email', 'exact', PEOPLE[4]?.set.email, ['eve']],
      ['app', 'semver_gt', '1.2.3', ['bob', 'ada']],
      ['app', 'semver_tilde', '1.2.3', ['ada']],
      ['app', 'semver_neq', '1.10.0', ['ada']],
    ])('where %s %s %j', async (key, operator, value, expected) =>
      expect(await only(operator, value, key)).toEqual(expected),
    )

    it('by groups of filters', async () => {
      const pro = { key: 'plan', value: 'pro' }
      const young = { key: 'age', operator: 'lt', value: 30, type: 'person' }
      expect(await by(pro, young)).toEqual([])
      expect(await ids({ properties: JSON.stringify({ type: 'OR', values: [pro, young] }) })).toEqual([
        'eve',
        'bob',
        'ada',
      ])
      const nested = {
        type: 'AND',
        values: [
          { type: 'OR', values: [pro, young] },
          { type: 'AND', values: [{ key: 'email', operator: 'icontains', value: 'bob' }] },
        ],
      }
      expect(await ids({ properties: JSON.stringify(nested) })).toEqual(['bob'])
      expect(await ids({ properties: '[]' })).toHaveLength(5)
    })

    it.each([
      ['{', 'Properties are unparsable!'],
      ['[{"key":"a","type":"event","value":1}]', /of type "person"/],
      ['[{"key":"a"}]', /has no value/],
      ['[{"key":"a","operator":"resembles","value":1}]', /./],
      ['[{"key":"a","operator":"gt","value":"many"}]', /compares numbers/],
      ['7', /object/],
    ])('but not by properties=%s', async (properties, detail) =>
      expect(await list({ properties })).toMatchObject({
        status: 400,
        body: { type: 'validation_error', detail: expect.stringMatching(detail) },
      }),
    )

    it.each(['x', '-1', '1.5', '', ' '])('but not with limit=%j', async (limit) =>
      expect(await list({ limit })).toMatchObject({ status: 400, body: { attr: 'limit', code: 'invalid_input' } }),
    )

    it('of one project only', async () => {
      expect((await service.api('/api/environments/2/persons/')).body.results).toHaveLength(1)
      const { id, uuid } = await personOf('ada')
      for (const path of [id, uuid]) expect((await service.api(`/api/projects/2/persons/${path}/`)).status).toBe(404)
      expect((await service.api('persons/', { key: KEYS.projectTwo })).status).toBe(403)
    })
  })

  it('stand in pages that visit everybody once, also while others arrive', async () => {
    const crowd = Array.from({ length: 23 }, (_, i) => ({
      event: 'x',
      distinct_id: `crowd ${i}`,
      timestamp: '2024-06-01T00:00:00Z',
      properties: { $set: { crowd: true } },
    }))
    await service.capture(crowd)
    const filter = { properties: JSON.stringify([{ key: 'crowd', value: true, type: 'person' }]) }
    await service.stored()
    const seen: string[] = []
    let next: string | null =
      `${service.url}/api/environments/1/persons/?${new URLSearchParams({ ...filter, limit: '5' })}`
    for (let page = 0; next !== null && page < 10; page++) {
      const body: Listing = (await service.api<Listing>(next.slice(service.url.length))).body
      expect(body.count).toBe(23)
      seen.push(...body.results.map((person) => person.distinct_ids[0] as string))
      next = body.next
      await service.capture({ event: 'x', distinct_id: `late ${page}`, properties: { $set: { crowd: true } } })
      await service.stored()
    }
    expect(seen).toHaveLength(23)
    expect(new Set(seen).size).toBe(23)
    const beyond = (await service.api('persons/?limit=5&offset=5000')).body
    expect([beyond.results, beyond.next]).toEqual([[], null])
    expect((await service.api(beyond.previous.slice(service.url.length))).body.results).toHaveLength(5)
    const last = await service.api('persons/?limit=5&offset=5')
    const { body: before } = await service.api(last.body.previous.slice(service.url.length))
    expect(before.results).toHaveLength(5)
    expect(before.previous).toBeNull()
  })

  it('come as CSV with sorted columns, all of them', async () => {
    const filter = { properties: JSON.stringify([{ key: 'email', operator: 'is_set' }]) }
    for (const answer of [
      await list({ ...filter, format: 'csv' }),
      await service.api(`persons.csv?${new URLSearchParams(filter)}`),
      await service.api(`persons/?${new URLSearchParams(filter)}`, { headers: { accept: 'text/csv' } }),
    ]) {
      expect(answer.headers.get('content-type')).toContain('text/csv')
      const [header = '', ...rows] = answer.text.trimEnd().split('\r\n')
      const columns = header.split(',')
      expect(columns).toEqual([...columns].sort())
      expect(columns).toEqual(
        expect.arrayContaining(['distinct_ids.0', 'id', 'name', 'properties.email', 'properties.tags.1', 'uuid']),
      )
      expect(rows).toHaveLength(4)
      expect(answer.text).toContain('"says ""hi"",\nbye"')
    }
    expect((await list({ distinct_id: 'nobody', format: 'csv' })).text).toBe('')
    expect((await service.api(`persons/${(await personOf('ada')).id}/?format=csv`)).text).toContain('ada@example.com')
    expect((await list({ format: 'xml' })).status).toBe(404)
    expect((await service.api('persons.json?limit=1')).body.results).toHaveLength(1)
  })

  it('come as CSV from an offset on and up to a limit, when they are given', async () => {
    const names = async (part: Record<string, string>) => {
      const { status, text } = await list({ search: 'example.com', ...part, format: 'csv' })
      expect(status).toBe(200)
      const [header = '', ...rows] = text.trimEnd().split('\r\n')
      const at = header.split(',').indexOf('distinct_ids.0')
      return rows.map((row) => row.split(',')[at])
    }
    const all = await ids({ search: 'example.com' })
    expect(all.length).toBeGreaterThan(2)
    expect(await names({})).toEqual(all)
    expect(await names({ limit: '2' })).toEqual(all.slice(0, 2))
    expect(await names({ offset: '1' })).toEqual(all.slice(1))
    expect(await names({ limit: '1', offset: '1' })).toEqual(all.slice(1, 2))
    expect(await names({ limit: '5000' })).toEqual(all)
    expect((await list({ limit: '-1', format: 'csv' })).status).toBe(400)
  })

  describe('one person', () => {
    it('is found by integer and by uuid', async () => {
      const { id, uuid } = await personOf('bob')
      const one = await service.api(`persons/${id}/`)
      expect(one.body).toMatchObject({ id, uuid, name: 'Bob@Example.com' })
      expect((await service.api(`persons/${uuid.toUpperCase()}`)).body).toEqual(one.body)
    })

    it.each([
      ['NOT_A_UUID', 400],
      ['999999999', 404],
      [crypto.randomUUID(), 404],
    ])('is not found by %s', async (id, status) => {
      const ask = { GET: undefined, PATCH: { properties: {} }, DELETE: undefined }
      for (const [method, body] of Object.entries(ask))
        expect((await service.api(`persons/${id}/`, { method, body })).status).toBe(status)
    })

    it('takes properties one by one, and shows the change at once', async () => {
      const { id } = await personOf('dan')
      const changed = await service.api(`persons/${id}/`, {
        method: 'PATCH',
        body: '{"properties":{"email":"dan@example.com","score":null,"big":12345678901234567890},"name":"ignored"}',
      })
      expect(changed).toMatchObject({ status: 200, body: { id, name: 'dan@example.com' } })
      expect(changed.body.properties).toMatchObject({ name: 'Dan', score: null, email: 'dan@example.com' })
      expect(changed.text).toContain('12345678901234567890')
      expect(await ids({ email: 'dan@example.com' })).toEqual(['dan'])
    })

    it('keeps the digits of numbers and every key, however it was written', async () => {
      const { id } = await personOf('dan')
      const change = (body: string) => service.api(`persons/${id}/`, { method: 'PATCH', body })
      await change(
        '{"properties":{"big":12345678901234567890,"in":{"list":[0.1234567890123456789012]},"__proto__":{"a":1}}}',
      )
      await service.api(`persons/${id}/update_property/`, {
        method: 'POST',
        body: '{"key":"set","value":98765432109876543210}',
      })
      const filter = { properties: '[{"key":"big","value":12345678901234567890}]' }
      for (const { text } of [
        await service.api(`persons/${id}/`),
        await list({ distinct_id: 'dan' }),
        await list(filter),
        await service.api(`persons/${id}/?format=csv`),
      ]) {
        expect(text).toContain('12345678901234567890')
        expect(text).toContain('0.1234567890123456789012')
        expect(text).toContain('98765432109876543210')
        expect(text).toContain('__proto__')
      }
      expect((await service.api('events/?distinct_id=dan&limit=1')).text).toContain('12345678901234567890')
      expect((await service.api('persons/values/?key=big')).text).toContain('"name":12345678901234567890')
      expect((await service.api(`persons/${id}/activity/`)).text).toContain('98765432109876543210')
    })

    it.each([
      ['{"properties":{"huge":1e400}}', 'properties__huge'],
      ['{"properties":{"deep":[{"huge":-1e999}]}}', 'properties__deep__0__huge'],
    ])('refuses a number that nothing can hold: %s', async (body, attr) => {
      const { id } = await personOf('dan')
      expect(await service.api(`persons/${id}/`, { method: 'PATCH', body })).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', attr, detail: expect.stringMatching(/too large for a number/) },
      })
      const single = `{"key":"huge","value":1e400}`
      expect(await service.api(`persons/${id}/update_property/`, { method: 'POST', body: single })).toMatchObject({
        status: 400,
        body: { attr: 'value' },
      })
      expect((await service.api(`persons/${id}/`)).body.properties).not.toHaveProperty('huge')
    })

    it('has a name that is text, whatever the property is', async () => {
      const set = { email: 5 }
      await service.capture({ event: '$identify', distinct_id: 'five', properties: { $set: set } })
      const five = await service.waitFor(() => personOf('five'), 'the person')
      expect(five).toMatchObject({ name: '5', properties: set })
      await service.api(`persons/${five.id}/`, { method: 'DELETE' })
    })

    it.each([
      [{}, 'required', 'properties'],
      [{ properties: null }, 'null', 'properties'],
      [{ properties: [] }, 'invalid_input', 'properties'],
      [{ properties: 'x' }, 'invalid_input', 'properties'],
      [[], 'invalid_input', null],
      ['null', 'invalid_input', null],
      ['"properties"', 'invalid_input', null],
    ])('refuses %j', async (body, code, attr) => {
      const { id } = await personOf('dan')
      const answer = await service.api(`persons/${id}/`, { method: 'PATCH', body })
      expect(answer).toMatchObject({ status: 400, body: { type: 'validation_error', code, attr } })
    })

    it('has single properties set and removed, and remembers who did it', async () => {
      const { id } = await personOf('cy')
      const set = { key: 'note', value: 'new' }
      expect((await service.api(`persons/${id}/update_property/`, { body: set })).status).toBe(202)
      expect((await service.api(`persons/${id}/update_property/`, { body: { key: 'x' } })).body.attr).toBe('value')
      expect((await service.api(`persons/${id}/delete_property/`, { body: { $unset: 'plan' } })).status).toBe(201)
      expect((await service.api(`persons/${id}/`)).body.properties).not.toHaveProperty('plan')
      const { body } = await service.api(`persons/${id}/activity/?limit=1`)
      expect(body).toMatchObject({
        total_count: 2,
        previous: null,
        results: [
          {
            activity: 'delete_property',
            scope: 'Person',
            item_id: String(id),
            user: { first_name: 'Ada', email: 'owner@example.com' },
            detail: { changes: [{ action: 'deleted', field: 'plan', before: 'pro plus', after: null }] },
          },
        ],
      })
      expect((await service.api(body.next.slice(service.url.length))).body.results[0].activity).toBe('updated')
      expect((await service.api('persons/activity/')).body.total_count).toBeGreaterThanOrEqual(2)
    })

    it('splits into one person a distinct id', async () => {
      await service.capture([
        {
          event: '$identify',
          distinct_id: 'zoe',
          properties: { $anon_distinct_id: 'zoe-phone', $set: { email: 'zoe@example.com' } },
        },
      ])
      const { id } = await service.waitFor(async () => {
        const found = await personOf('zoe')
        return found?.distinct_ids.length === 2 && found
      }, 'the merge')
      expect((await service.api(`persons/${id}/split/`, { body: { main_distinct_id: 'nobody' } })).status).toBe(400)
      expect(await service.api(`persons/${id}/split/`, { body: { main_distinct_id: 'zoe' } })).toMatchObject({
        status: 201,
        body: { success: true },
      })
      expect((await personOf('zoe')).properties.email).toBe('zoe@example.com')
      expect(await personOf('zoe-phone')).toMatchObject({ distinct_ids: ['zoe-phone'], properties: {} })
    })
  })

  it('counts values of a property', async () => {
    expect((await service.api('persons/values/?key=age&value=3')).body).toEqual([{ name: 36, count: 1 }])
    expect((await service.api('persons/values/?key=crowd')).body[0]).toMatchObject({ name: true })
    expect((await service.api('persons/values/')).body).toEqual([])
  })

  it('are gone from every answer once deleted, and come back as somebody new', async () => {
    await service.capture({ event: 'seen', distinct_id: 'gone', properties: { $set: { email: 'gone@example.com' } } })
    const { id } = await service.waitFor(() => personOf('gone'), 'the person')
    await service.stored()
    expect(await service.api(`persons/${id}/?delete_events=maybe`, { method: 'DELETE' })).toMatchObject({ status: 400 })
    const deleted = await service.api(`persons/${id}/?delete_events=false`, { method: 'DELETE' })
    expect(deleted).toMatchObject({ status: 204, text: '' })
    expect((await service.api(`persons/${id}/`)).status).toBe(404)
    expect((await service.api(`persons/${id}/`, { method: 'DELETE' })).status).toBe(404)
    expect(await personOf('gone')).toBeUndefined()
    expect((await service.api('events/?event=seen')).body.results[0].person).toBeNull()
    expect((await service.api('deletions/')).body.results).toEqual([])

    await service.capture({ event: 'seen', distinct_id: 'gone' })
    const again = await service.waitFor(() => personOf('gone'), 'the person to come back')
    expect(again.id).not.toBe(id)
    expect(again.properties).not.toHaveProperty('email')
  })

  it('are deleted in bulk, by id or distinct id', async () => {
    const bulk = (body: unknown) => service.api('persons/bulk_delete/', { body })
    const [a, b] = [await personOf('crowd 0'), await personOf('crowd 1')]
    expect(await bulk({ distinct_ids: ['crowd 2', 'no such one'] })).toMatchObject({
      status: 202,
      body: { persons_deleted: 1 },
    })
    expect((await bulk({ ids: [a.uuid, b.id, 'rubbish'] })).body).toMatchObject({
      persons_deleted: 2,
      deletion_errors: [{ id: 'rubbish' }],
    })
    expect(await ids({ search: 'crowd 0' })).toEqual([])
    expect((await bulk({})).body.detail).toBe('You need to specify either distinct_ids or ids')
    const many = Array.from({ length: 1001 }, (_, i) => String(i))
    expect((await bulk({ ids: many })).body.detail).toBe('You can only pass 1000 ids in one call')
    expect((await bulk({ distinct_ids: many })).body.detail).toBe('You can only pass 1000 distinct_ids in one call')
    expect((await bulk({ ids: 'all' })).status).toBe(400)
  })

  it('are not made through the API', async () =>
    expect(await service.api('persons/', { body: {} })).toMatchObject({
      status: 405,
      body: { detail: expect.stringMatching(/^Creating persons via this API is not allowed\./) },
    }))

  it('are for those who may', async () => {
    const { id } = await personOf('ada')
    for (const [method, path] of [
      ['GET', 'persons/'],
      ['GET', `persons/${id}/`],
      ['PATCH', `persons/${id}/`],
      ['DELETE', `persons/${id}/`],
    ] as const) {
      const ask = { method, ...(method === 'PATCH' ? { body: { properties: {} } } : {}) }
      expect((await service.api(path, { ...ask, key: null })).body).toEqual({
        type: 'authentication_error',
        code: 'not_authenticated',
        detail: 'Authentication credentials were not provided.',
        attr: null,
      })
      expect((await service.api(path, { ...ask, key: 'phx_wrong' })).body.detail).toBe(
        'Personal API key found in request Authorization header is invalid.',
      )
      const scope = method === 'GET' ? 'person:read' : 'person:write'
      const weak = method === 'GET' ? KEYS.insightsRead : KEYS.personsRead
      expect(await service.api(path, { ...ask, key: weak })).toMatchObject({
        status: 403,
        body: { detail: `API key missing required scope '${scope}'` },
      })
      expect((await service.api(path, { ...ask, key: KEYS.projectTwo })).status).toBe(403)
      expect((await service.api(`/api/environments/99/${path}`, ask)).body.detail).toBe('Project not found.')
    }
    expect((await service.api(`persons/${id}/`, { key: KEYS.persons })).status).toBe(200)
    expect((await service.api(`persons/${id}/`, { method: 'PATCH', body: '{"properties":' })).body.code).toBe(
      'parse_error',
    )
    expect(
      (await service.api(`persons/${id}/`, { method: 'PATCH', body: 'x', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(415)
  })

  it.each([
    "'",
    '"',
    '\\',
    '%',
    "'; DROP TABLE persons; --",
    '$' + '{x}',
    '{p0:String}',
    '\0',
    '\uD800',
    '😀',
    '$1',
    '../../etc',
    '?',
    '[',
  ])('take %j in every filter for what it is', async (text) => {
    const filters = ['exact', 'is_not', 'icontains', 'not_icontains', 'is_set', 'starts_with', 'ends_with']
    const by = (operator: string) => ({
      properties: JSON.stringify([{ key: text, value: text, operator, type: 'person' }]),
    })
    for (const query of [{ distinct_id: text }, { email: text }, { search: text }, ...filters.map(by)])
      expect((await list(query)).status).toBe(200)
    expect((await list(by('is_date_before'))).status).toBe(400)
    // Some of these are patterns, the others are told that they are none.
    for (const operator of ['regex', 'not_regex']) expect([200, 400]).toContain((await list(by(operator))).status)
    for (const query of [{ limit: text }, { offset: text }, { format: text }, { properties: text }, { as_of: text }])
      expect((await list(query)).status).toBeGreaterThanOrEqual(400)
    expect((await service.api(`persons/values/?${new URLSearchParams({ key: text, value: text })}`)).status).toBe(200)
    expect((await list({})).body.count).toBeGreaterThan(5)
  })

  it('answer what scripts of others ask besides', async () => {
    const ada = await personOf('ada')
    expect(await service.api(`persons/cohorts/?person_id=${ada.id}`)).toMatchObject({
      status: 200,
      body: { results: [] },
    })
    expect((await service.api('persons/cohorts/?person_id=999999')).status).toBe(404)
    expect((await service.api('persons/cohorts/')).body).toMatchObject({ code: 'required', attr: 'person_id' })
    const reset = (body: object, key: string = KEYS.persons) =>
      service.api('persons/reset_person_distinct_id/', { body, key })
    expect(await reset({ distinct_id: 'ada' })).toMatchObject({ status: 202, body: { success: true } })
    expect((await reset({})).body).toMatchObject({ code: 'required', attr: 'distinct_id' })
    expect((await reset({ distinct_id: 'ada' }, KEYS.personsRead)).status).toBe(403)
  })

  it('take format=csv on every path, as insights do', async () => {
    const ada = await personOf('ada')
    const csv = async (path: string, body?: object) => {
      const answer = await service.api(path, body ? { body } : {})
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      return answer.text
    }
    expect(await csv('persons/values/?key=plan&value=free&format=csv')).toBe('count,name\r\n1,free\r\n')
    expect(await csv(`persons/${ada.id}/update_property/?format=csv`, { key: 'x', value: 1 })).toBe(
      'success\r\ntrue\r\n',
    )
    expect(await csv('insights/my_last_viewed/?format=csv')).toBe('')
    expect(await csv('insights/timing/?format=csv', {})).toBe('success\r\ntrue\r\n')
    expect((await service.api('events/?format=csv')).status).toBe(404)
  })
})
