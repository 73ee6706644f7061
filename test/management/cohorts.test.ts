import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY } from '../../src/lib/durations.ts'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()

interface Named {
  readonly distinct_ids: string[]
}

describe('cohorts', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      {
        event: 'bought',
        distinct_id: 'ada',
        timestamp: ago(2),
        properties: { $set: { plan: 'pro', email: 'Ada@example.com' }, price: 9 },
      },
      { event: 'bought', distinct_id: 'ada', timestamp: ago(1), properties: { price: 50 } },
      { event: 'bought', distinct_id: 'bob', timestamp: ago(20), properties: { $set: { plan: 'pro' }, price: 5 } },
      { event: 'looked', distinct_id: 'cy', timestamp: ago(1), properties: { $set: { plan: 'free' } } },
      { event: 'looked', distinct_id: 'dan', timestamp: ago(3), properties: { $set: { plan: 'free' } } },
    ])
    await service.capture({ event: 'looked', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } }, TOKENS.two)
    await service.stored()
  })
  afterAll(() => service?.stop())

  const create = (body: object) => service.api('cohorts/', { body })
  const personsOf = async (id: number): Promise<string[]> => {
    const { status, body, text } = await service.api(`cohorts/${id}/persons/`)
    expect(status, text).toBe(200)
    expect(body.count).toBe(body.results.length)
    return body.results.flatMap((person: Named) => person.distinct_ids[0] ?? []).sort()
  }
  const person = async (id: string) => (await service.api(`persons/?distinct_id=${id}`)).body.results[0]
  const by = (...values: object[]) => ({ properties: { type: 'AND', values: [{ type: 'AND', values }] } })
  const pro = { key: 'plan', type: 'person', value: 'pro', operator: 'exact' }
  const did = (key: string, days: number, more: object = {}) => ({
    key,
    type: 'behavioral',
    value: 'performed_event',
    event_type: 'events',
    time_value: days,
    time_interval: 'day',
    ...more,
  })

  it.each([
    ['a property', by(pro), ['ada', 'bob']],
    ['not having a property', by({ ...pro, negation: true }), ['cy', 'dan']],
    ['an event in the last days', by(did('bought', 7)), ['ada']],
    ['not having done it', by(did('bought', 7, { negation: true })), ['bob', 'cy', 'dan']],
    [
      'having done it so often',
      by(did('bought', 30, { value: 'performed_event_multiple', operator: 'gte', operator_value: 2 })),
      ['ada'],
    ],
    [
      'having done it rarely',
      by(did('bought', 30, { value: 'performed_event_multiple', operator: 'lte', operator_value: 1 })),
      ['bob'],
    ],
    ['the first time', by(did('bought', 7, { value: 'performed_event_first_time' })), ['ada']],
    [
      'an event with filters',
      by(did('bought', 30, { event_filters: [{ key: 'price', type: 'event', operator: 'lt', value: 9 }] })),
      ['bob'],
    ],
    ['a date', by(did('looked', 0, { explicit_datetime: '-2d' })), ['cy']],
    ['both', by(pro, did('bought', 7)), ['ada']],
    [
      'either',
      {
        properties: {
          type: 'OR',
          values: [
            { type: 'AND', values: [did('bought', 7)] },
            { type: 'AND', values: [{ ...pro, value: 'free' }] },
          ],
        },
      },
      ['ada', 'cy', 'dan'],
    ],
    ['nothing', {}, []],
  ])('by %s', async (name, filters, expected) => {
    const { status, body, text } = await create({ name, filters })
    expect(status, text).toBe(201)
    expect(body).toMatchObject({
      name,
      filters,
      is_static: false,
      count: expected.length,
      deleted: false,
      errors_calculating: 0,
    })
    expect(await personsOf(body.id)).toEqual(expected)
  })

  it('by the older groups', async () => {
    const { body } = await create({ name: 'old', groups: [{ properties: [pro] }, { event_id: 'looked', days: 2 }] })
    expect(await personsOf(body.id)).toEqual(['ada', 'bob', 'cy'])
  })

  it('made of others, but not of themselves', async () => {
    const { body: first } = await create({ name: 'pros', filters: by(pro) })
    const { body: second } = await create({
      name: 'quiet pros',
      filters: by({ key: 'id', type: 'cohort', value: first.id }, did('bought', 7, { negation: true })),
    })
    expect(await personsOf(second.id)).toEqual(['bob'])
    const circle = { filters: by({ key: 'id', type: 'cohort', value: second.id }) }
    expect(await service.api(`cohorts/${first.id}/`, { method: 'PATCH', body: circle })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('is made of itself') },
    })
    expect(await create({ filters: by({ key: 'id', type: 'cohort', value: 99_999 }) })).toMatchObject({
      status: 400,
      body: { detail: 'There is no cohort "99999" in this project.' },
    })
  })

  it.each([
    ['an unknown type', by({ ...pro, type: 'event' }), 'filters__properties__values__0__values__0__type'],
    [
      'an unknown behaviour',
      by(did('a', 7, { value: 'thought_of_event' })),
      'filters__properties__values__0__values__0__value',
    ],
    [
      'a sequence of one',
      by(did('a', 7, { value: 'performed_event_sequence' })),
      'filters__properties__values__0__values__0__seq_event',
    ],
    [
      'having stopped before it began',
      by(did('a', 7, { value: 'stopped_performing_event', seq_time_value: 2, seq_time_interval: 'week' })),
      'filters__properties__values__0__values__0__seq_time_value',
    ],
    [
      'more periods than there are',
      by(did('a', 1, { value: 'performed_event_regularly', operator_value: 1, min_periods: 4, total_periods: 3 })),
      'filters__properties__values__0__values__0__min_periods',
    ],
    [
      'periods without end',
      by(did('a', 1, { value: 'performed_event_regularly', operator_value: 1, min_periods: 4, total_periods: 9999 })),
      'filters__properties__values__0__values__0__total_periods',
    ],
    ['no time', by({ ...did('a', 7), time_value: null }), 'filters__properties__values__0__values__0__time_value'],
    ['no criterion', { properties: 5 }, 'filters__properties'],
    [
      'a bad pattern',
      by({ ...pro, operator: 'regex', value: '(' }),
      'filters__properties__values__0__values__0__value',
    ],
    ['a filter of nothing', by({}), 'filters__properties__values__0__values__0'],
    [
      'a filter of nothing on an event',
      by({ ...did('a', 7), event_filters: [{}] }),
      'filters__properties__values__0__values__0__event_filters__0',
    ],
    [
      'a date that is none',
      by({ ...did('a', 7), explicit_datetime: 'garbage' }),
      'filters__properties__values__0__values__0__explicit_datetime',
    ],
  ])('refuse %s in words', async (_, filters, attr) => {
    const { status, body } = await create({ filters })
    expect([status, body.attr]).toEqual([400, attr])
  })

  it('static: of distinct ids, person ids, CSV, forms and what stands behind a number', async () => {
    const ada = await person('ada')
    const made = async (body: object) => {
      const answer = await create({ is_static: true, ...body })
      expect(answer.status, answer.text).toBe(201)
      return personsOf(answer.body.id)
    }
    expect(await made({ distinct_ids: ['ada', 'cy', 'nobody'] })).toEqual(['ada', 'cy'])
    expect(await made({ _create_static_person_ids: [ada.uuid] })).toEqual(['ada'])
    expect(await made({ csv: 'bob\r\n"cy"\r\n' })).toEqual(['bob', 'cy'])
    expect(await made({ csv: 'name,person_id\nA,'.concat(ada.uuid) })).toEqual(['ada'])
    expect(await made({ csv: 'email\nada@example.com\n' })).toEqual(['ada'])
    const source = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'looked' }],
      dateRange: { date_from: '-30d' },
    }
    expect(await made({ query: { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source } } })).toEqual([
      'cy',
      'dan',
    ])
    expect(
      await made({ query: { kind: 'HogQLQuery', query: "select person_id from events where event = 'bought'" } }),
    ).toEqual(['ada', 'bob'])
    const form = new FormData()
    form.append('is_static', 'true')
    form.append('name', 'from a file')
    form.append('csv', new File(['distinct_id\ndan\n'], 'people.csv'))
    const sent = await fetch(`${service.url}/api/environments/1/cohorts/`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${KEYS.all}` },
    })
    expect(sent.status).toBe(201)
    expect(await personsOf(((await sent.json()) as { id: number }).id)).toEqual(['dan'])
    expect((await create({ distinct_ids: ['ada'] })).body).toMatchObject({ attr: 'is_static' })
    expect((await create({ is_static: true, person_ids: ['ada'] })).body).toMatchObject({ attr: 'person_ids' })
  })

  it('static ones take and lose persons one by one, and twice changes nothing', async () => {
    const { body: cohort } = await create({ name: 'hand made', is_static: true, distinct_ids: ['ada'] })
    const bob = await person('bob')
    const add = (body: object) =>
      service.api(`cohorts/${cohort.id}/add_persons_to_static_cohort/`, { method: 'PATCH', body })
    expect((await add({ person_ids: [bob.uuid] })).body).toEqual({ success: true, added_count: 1 })
    expect((await add({ person_ids: [bob.uuid], distinct_ids: ['bob'] })).body.added_count).toBe(0)
    expect(await personsOf(cohort.id)).toEqual(['ada', 'bob'])
    const remove = { method: 'PATCH', body: { person_id: bob.uuid } }
    await service.api(`cohorts/${cohort.id}/remove_person_from_static_cohort/`, remove)
    expect(await personsOf(cohort.id)).toEqual(['ada'])
    await add({ person_ids: [bob.uuid] })
    expect((await service.api(`cohorts/${cohort.id}/`)).body.count).toBe(2)
    expect((await service.api(`cohorts/${cohort.id}/`, { method: 'PATCH', body: { is_static: false } })).status).toBe(
      400,
    )
  })

  it('follow merges, and lose who is deleted', async () => {
    await service.capture([
      { event: 'x', distinct_id: 'anon', properties: {} },
      { event: 'x', distinct_id: 'gone', properties: {} },
    ])
    await service.stored()
    const { body: cohort } = await create({ name: 'followed', is_static: true, distinct_ids: ['anon', 'gone'] })
    expect(await personsOf(cohort.id)).toEqual(['anon', 'gone'])
    await service.capture({ event: '$identify', distinct_id: 'dan', properties: { $anon_distinct_id: 'anon' } })
    const merged = await service.waitFor(async () => {
      const dan = await person('dan')
      return dan.distinct_ids.includes('anon') && dan
    }, 'the merge')
    await service.waitFor(
      async () => (await service.api(`cohorts/${cohort.id}/persons/`)).text.includes('"dan"'),
      'the survivor',
    )
    expect(await personsOf(cohort.id)).toEqual(['dan', 'gone'])
    expect((await service.api(`persons/cohorts/?person_id=${merged.id}`)).body.results).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: cohort.id })]),
    )
    const gone = await person('gone')
    expect((await service.api(`persons/${gone.uuid}/`, { method: 'DELETE' })).status).toBe(204)
    expect(await personsOf(cohort.id)).toEqual(['dan'])
    // Whoever comes back under the same id is somebody new.
    await service.capture({ event: 'x', distinct_id: 'gone' })
    await service.waitFor(() => person('gone'), 'the new person')
    expect(await personsOf(cohort.id)).toEqual(['dan'])
  })

  it('filter and break down insights, persons and SQL', async () => {
    const { body: pros } = await create({ name: 'Pros of now', filters: by(pro) })
    const { body: hand } = await create({ name: 'By hand', is_static: true, distinct_ids: ['cy'] })
    const trend = async (fields: object) => {
      const { status, body, text } = await service.api('insights/trend/', {
        body: { date_from: '-30d', events: [{ id: 'looked' }, { id: 'bought' }], ...fields },
      })
      expect(status, text).toBe(200)
      return body.result
    }
    const counts = (result: { count: number }[]) => result.map(({ count }) => count)
    const filter = (value: unknown, operator?: string) => [{ key: 'id', type: 'cohort', value, operator }]
    expect(counts(await trend({ properties: filter(pros.id) }))).toEqual([0, 3])
    expect(counts(await trend({ properties: filter(hand.id, 'in') }))).toEqual([1, 0])
    expect(counts(await trend({ properties: filter(pros.id, 'not_in') }))).toEqual([2, 0])
    expect(counts(await trend({ properties: filter([pros.id, hand.id], 'in') }))).toEqual([1, 3])
    const broken = await trend({ breakdown_type: 'cohort', breakdown: [pros.id, hand.id, 'all'] })
    expect(broken).toMatchObject([
      { label: 'looked - Pros of now', breakdown_value: pros.id, count: 0 },
      { label: 'looked - By hand', breakdown_value: hand.id, count: 1 },
      { label: 'looked - all users', breakdown_value: 'all', count: 2 },
      { label: 'bought - Pros of now', count: 3 },
      { label: 'bought - By hand', count: 0 },
      { label: 'bought - all users', count: 3 },
    ])
    const unknown = { body: { events: [{ id: 'looked' }], properties: filter(424_242) } }
    expect(await service.api('insights/trend/', unknown)).toMatchObject({ status: 400, body: { attr: 'properties' } })
    const listed = async (query: string) =>
      (await service.api(`persons/?${query}`)).body.results.flatMap((each: Named) => each.distinct_ids[0] ?? []).sort()
    expect(await listed(`cohort=${pros.id}`)).toEqual(['ada', 'bob'])
    expect(await listed(`cohort=${pros.id}&search=ada`)).toEqual(['ada'])
    expect(await listed(`properties=${JSON.stringify(filter(hand.id))}`)).toEqual(['cy'])
    const sql = async (query: string) => {
      const { status, body, text } = await service.api('query/', { body: { query: { kind: 'HogQLQuery', query } } })
      expect(status, text).toBe(200)
      return body.results
    }
    expect(await sql(`select count() from events where person_id in cohort ${pros.id} and event = 'bought'`)).toEqual([
      [3],
    ])
    expect(await sql("select count() from events where person_id in cohort 'By hand'")).toEqual([[1]])
    expect(
      await sql(`select count() from persons where id not in cohort ${pros.id} and properties.plan = 'free'`),
    ).toEqual([[2]])
    expect(await sql(`select count() from cohort_people where cohort_id = ${hand.id}`)).toEqual([[1]])
  })

  it('change at once, go and come back', async () => {
    const { body: cohort } = await create({ name: 'changing', filters: by(pro) })
    const trend = async () => {
      const body = {
        date_from: '-30d',
        events: [{ id: 'looked' }],
        properties: [{ key: 'id', type: 'cohort', value: cohort.id }],
      }
      return service.api('insights/trend/', { body })
    }
    expect((await trend()).body.result[0].count).toBe(0)
    const patch = (body: object) => service.api(`cohorts/${cohort.id}/`, { method: 'PATCH', body })
    expect((await patch({ filters: by({ ...pro, value: 'free' }) })).body).toMatchObject({ name: 'changing', count: 2 })
    expect((await trend()).body.result[0].count).toBe(2)
    expect((await patch({ deleted: true })).body.deleted).toBe(true)
    expect((await service.api(`cohorts/${cohort.id}/`)).status).toBe(404)
    expect((await trend()).status).toBe(400)
    expect((await patch({ deleted: false })).body).toMatchObject({ deleted: false, count: 2 })
    expect(await service.api(`cohorts/${cohort.id}/`, { method: 'DELETE' })).toMatchObject({ status: 405, text: '' })
    const list = await service.api('cohorts/?search=changing')
    expect(list.body).toMatchObject({
      count: 1,
      results: [{ id: cohort.id, created_by: { email: 'owner@example.com' } }],
    })
  })

  it('are for those who may, in their project', async () => {
    const { body: cohort } = await create({ name: 'ours', filters: by(pro) })
    expect((await service.api('cohorts/', { key: KEYS.personsRead })).body.detail).toBe(
      "API key missing required scope 'cohort:read'",
    )
    expect((await service.api('cohorts/', { body: {}, key: KEYS.persons })).status).toBe(403)
    expect((await service.api(`/api/projects/2/cohorts/${cohort.id}/`)).status).toBe(404)
    expect((await service.api(`persons/cohorts/?person_id=1`, { key: KEYS.personsRead })).status).toBe(403)
  })
})
