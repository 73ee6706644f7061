import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

/** The same request as different clients write it. */
describe('requests in other spellings', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    const on = (day: string, distinct_id: string, event: string, $set: object) => ({
      event,
      distinct_id,
      timestamp: `2024-05-${day}T10:00:00Z`,
      properties: { $set },
    })
    await service.capture([
      on('01', 'ada', 'signed up', { email: 'ada@example.com', plan: 'free' }),
      on('02', 'ada', 'bought', { plan: 'free' }),
      on('03', 'ada', 'bought', { plan: 'pro' }),
      on('04', 'ada', 'looked', { plan: 'pro' }),
      on('01', 'bob', 'signed up', { email: 'bob@example.com', plan: 'free' }),
      on('01', 'cy', 'signed up', { email: 'cy@other.org', plan: 'pro' }),
    ])
    await service.stored()
  })
  afterAll(() => service?.stop())

  const found = async (query: string): Promise<string[]> => {
    const { status, body, text } = await service.api(`persons/?${query}`)
    expect(status, text).toBe(200)
    return body.results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0]).sort()
  }
  const person = async (id: string) => (await service.api(`persons/?distinct_id=${id}`)).body.results[0]
  const send = async (path: string, method: string, body: FormData | URLSearchParams | string, type?: string) => {
    const answer = await fetch(`${service.url}/api/environments/1/${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${KEYS.all}`, ...(type ? { 'content-type': type } : {}) },
    })
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const multipart = (fields: Record<string, string>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return form
  }

  describe('properties of a list of persons', () => {
    const free = encodeURIComponent('{"key":"plan","value":"free"}')
    const ofExample = encodeURIComponent('{"key":"email","value":"@example.com","operator":"icontains"}')
    it.each([
      ['a JSON list', `properties=${encodeURIComponent('[{"key":"plan","value":"free"}]')}`, ['bob']],
      ['brackets', `properties[]=${free}`, ['bob']],
      [
        'several brackets',
        `properties[]=${encodeURIComponent('{"key":"plan","value":"pro"}')}&properties[]=${ofExample}`,
        ['ada'],
      ],
      ['the parameter twice', `properties=${free}&properties=${ofExample}`, ['bob']],
      ['one object', `properties=${free}`, ['bob']],
      [
        'parts',
        'properties[0][key]=plan&properties[0][value]=pro&properties[1][key]=email&properties[1][operator]=icontains&properties[1][value]=other',
        ['cy'],
      ],
      ['escaped brackets', `properties%5B%5D=${free}`, ['bob']],
      ['a map', `properties=${encodeURIComponent('{"plan":"free"}')}`, ['bob']],
    ])('as %s', async (_, query, expected) => expect(await found(query)).toEqual(expected))

    it.each([
      ['no JSON', 'properties=plan', /unparsable/],
      ['a number', 'properties=5', /A property filter is an object/],
      ['a list of numbers', 'properties=[5]', /A property filter is an object/],
      ['an item without a key', 'properties=[{"name":"plan","value":"free"}]', /has no key/],
      ['an item without a value', 'properties[0][key]=plan', /has no value/],
      [
        'an unknown operator',
        'properties[0][key]=plan&properties[0][value]=a&properties[0][operator]=like',
        /Invalid option/,
      ],
      ['nothing', 'properties=[{}]', /has no key/],
      ['null', 'properties=[null]', /not null/],
      [
        'a pattern that is none',
        'properties=[{"key":"plan","operator":"regex","value":"("}]',
        /"\(" for "plan" is not a reg/,
      ],
      [
        'a date that is none',
        'properties=[{"key":"joined","operator":"is_date_after","value":"soon"}]',
        /"soon" is not a date/,
      ],
      ['another type', 'properties=[{"key":"a","value":"b","type":"event"}]', /type "person" or by cohort/],
    ])('refuses %s in words', async (_, query, words) => {
      const { status, body } = await service.api(`persons/?${query}`)
      expect([status, body.type, body.detail]).toEqual([400, 'validation_error', expect.stringMatching(words)])
      expect(body.attr).toMatch(/^properties/)
    })
  })

  it('counts the properties of persons', async () => {
    const { body } = await service.api('persons/properties/')
    expect(body).toEqual(
      expect.arrayContaining([
        { name: 'email', count: 3 },
        { name: 'plan', count: 3 },
      ]),
    )
  })

  it('shows how properties that matter to a trend changed', async () => {
    const { id } = await person('ada')
    const asked = new URLSearchParams({
      date_from: '2024-05-01',
      date_to: '2024-05-31',
      events: '[{"id":"bought"},{"id":"signed up"}]',
      properties: '[{"key":"plan","value":"pro","type":"person"}]',
    })
    const { status, body } = await service.api(`persons/${id}/properties_timeline/?${asked}`)
    expect(status).toBe(200)
    expect(body.crucial_property_keys).toEqual(['plan'])
    expect(body.points).toMatchObject([
      { timestamp: '2024-05-01T10:00:00.000000Z', properties: { plan: 'free' }, relevant_event_count: 2 },
      { timestamp: '2024-05-03T10:00:00.000000Z', properties: { plan: 'pro' }, relevant_event_count: 1 },
    ])
    expect(body.effective_date_from).toBe('2024-05-01T00:00:00.000Z')
    asked.delete('properties')
    asked.delete('events')
    expect((await service.api(`persons/${id}/properties_timeline/?${asked}`)).body.points).toMatchObject([
      { relevant_event_count: 4 },
    ])
    expect((await service.api('persons/999999/properties_timeline/')).status).toBe(404)
  })

  describe('a project API key in the query string of a question', () => {
    const asked = async (path: string) => {
      const { status, body } = await service.api(path)
      return [status, body.code ?? body.count]
    }
    it('must be one, and of the project', async () => {
      expect(await asked('persons/?token=phc_unknown')).toEqual([401, 'authentication_failed'])
      expect(await asked('persons/?api_key=phc_unknown')).toEqual([401, 'authentication_failed'])
      expect(await asked(`persons/?token=${TOKENS.one}`)).toEqual([200, 3])
      expect(await asked(`persons/?token=${TOKENS.two}`)).toEqual([401, 'authentication_failed'])
      expect(await asked(`/api/environments/@current/persons/?token=${TOKENS.two}`)).toEqual([200, 0])
    })
    it('is 401 also where SDKs ask', async () => {
      const { status, body } = await service.api('/api/surveys/?token=phc_unknown', { key: null })
      expect([status, body.code]).toEqual([401, 'invalid_api_key'])
    })
  })

  describe('forms', () => {
    const FUNNEL = {
      insight: 'FUNNELS',
      date_from: '2024-05-01',
      date_to: '2024-05-31',
      events: '[{"id":"signed up","order":0},{"id":"bought","order":1}]',
    }
    const TREND = { date_from: '2024-05-01', date_to: '2024-05-31', events: '[{"id":"bought"}]' }
    const kinds = (fields: Record<string, string>) => [new URLSearchParams(fields), multipart(fields)]

    it('ask insights', async () => {
      for (const form of kinds(TREND))
        expect(await send('insights/trend/', 'POST', form)).toMatchObject({
          status: 200,
          body: { result: [{ count: 2 }] },
        })
      for (const form of kinds({ filters: JSON.stringify({ ...TREND, events: [{ id: 'looked' }] }) }))
        expect(await send('insights/trend/', 'POST', form)).toMatchObject({
          status: 200,
          body: { result: [{ count: 1 }] },
        })
      for (const form of kinds(FUNNEL)) {
        expect(await send('insights/funnel/', 'POST', form)).toMatchObject({
          status: 200,
          body: { result: [{ count: 3 }, { count: 1 }] },
        })
        expect(await send('insights/funnel/correlation/', 'POST', form)).toMatchObject({
          status: 200,
          body: { result: { skewed: false } },
        })
        expect(await send('insights/timing/', 'POST', form)).toMatchObject({
          status: 200,
          body: {
            result: {
              bins: [
                [86400, 1],
                [86460, 0],
              ],
            },
          },
        })
      }
    })
    it('change persons', async () => {
      const { id } = await person('bob')
      for (const [form, colour] of [
        [new URLSearchParams({ properties: '{"colour":"red"}' }), 'red'],
        [multipart({ properties: '{"colour":"blue"}' }), 'blue'],
        [new URLSearchParams({ 'properties[colour]': 'green' }), 'green'],
      ] as const)
        expect(await send(`persons/${id}/`, 'PATCH', form)).toMatchObject({
          status: 200,
          body: { properties: { colour } },
        })
      expect(await send(`persons/${id}/`, 'PATCH', new URLSearchParams({ properties: 'red' }))).toMatchObject({
        status: 400,
        body: { attr: 'properties' },
      })
    })
    it('are refused elsewhere, and other types everywhere, with what to send', async () => {
      for (const [path, body, type] of [
        ['insights/', 'name=x', 'application/x-www-form-urlencoded'],
        ['query/', 'query=x', 'application/x-www-form-urlencoded'],
        ['insights/trend/', '<x/>', 'text/xml'],
        ['session_recording_playlists/', 'x', 'text/plain'],
      ] as const)
        expect(await send(path, 'POST', body, type)).toMatchObject({
          status: 415,
          body: { code: 'unsupported_media_type', detail: expect.stringContaining('Content-Type: application/json') },
        })
    })
  })

  it('bulk deletion takes ids as lists, JSON texts and forms, and refuses what is no id', async () => {
    const gone = (body: object) => service.api('persons/bulk_delete/', { body })
    await service.capture(['d1', 'd2', 'd3', 'd4'].map((distinct_id) => ({ event: 'x', distinct_id })))
    await service.stored()
    expect((await gone({ ids: ['abc'] })).body).toMatchObject({ attr: 'ids', detail: expect.stringContaining('"abc"') })
    expect((await gone({ ids: {} })).status).toBe(400)
    expect((await gone({})).body.detail).toBe('You need to specify either distinct_ids or ids')
    expect((await gone({ distinct_ids: 'd1' })).body).toMatchObject({ persons_deleted: 1 })
    expect((await gone({ distinct_ids: '["d2"]', delete_events: 'false' })).body).toMatchObject({ persons_deleted: 1 })
    const { uuid } = await person('d3')
    const { id } = await person('d4')
    const form = new URLSearchParams([
      ['ids[]', uuid],
      ['ids[]', String(id)],
    ])
    expect(await send('persons/bulk_delete/', 'POST', form)).toMatchObject({
      status: 202,
      body: { persons_deleted: 2 },
    })
  })
})
