import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

describe('reading back', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      ...Array.from({ length: 7 }, (_, i) => ({
        event: 'page',
        distinct_id: `visitor ${i % 2}`,
        timestamp: `2024-05-0${i + 1}T00:00:00Z`,
        properties: { number: i, $browser: i % 2 ? 'Safari' : 'Chrome', $set: { even: i % 2 === 0 } },
      })),
      {
        event: '$groupidentify',
        distinct_id: 'visitor 0',
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } },
      },
      { event: 'in group', distinct_id: 'visitor 0', properties: { $groups: { company: 'acme' } } },
    ])
    await service.capture({ event: 'elsewhere', distinct_id: 'visitor 0' }, TOKENS.two)
    await service.waitFor(async () => (await service.api('events/')).body.results.length === 9, 'the events')
  })
  afterAll(() => service?.stop())

  const numbers = async (query: Record<string, string>) => {
    const { status, body, text } = await service.api(`events/?${new URLSearchParams({ event: 'page', ...query })}`)
    expect(status, text).toBe(200)
    return body.results.map((event: { properties: { number: number } }) => event.properties.number)
  }

  describe('events', () => {
    it('are filtered by name, id, person, time and properties', async () => {
      expect(await numbers({})).toEqual([6, 5, 4, 3, 2, 1, 0])
      expect(await numbers({ distinct_id: 'visitor 1' })).toEqual([5, 3, 1])
      const { id, uuid } = (await service.api('persons/?distinct_id=visitor 1')).body.results[0]
      for (const person_id of [String(id), uuid]) expect(await numbers({ person_id })).toEqual([5, 3, 1])
      expect(await numbers({ after: '2024-05-03T00:00:00Z', before: '2024-05-06' })).toEqual([4, 3])
      const by = (...filters: object[]) => numbers({ properties: JSON.stringify(filters) })
      expect(await by({ key: '$browser', value: 'Safari' })).toEqual([5, 3, 1])
      expect(await by({ key: 'number', value: 4, operator: 'gt', type: 'event' })).toEqual([6, 5])
      expect(await by({ key: 'even', value: 'true', type: 'person' })).toEqual([6, 4, 2, 0])
      expect(await numbers({ properties: '[{"key":"number","value":[1,2]}]', after: '2024-05-02T12:00:00Z' })).toEqual([
        2,
      ])
      expect(await numbers({ person_id: '999999' })).toEqual([])
    })

    it('come in pages that visit each once', async () => {
      const seen: number[] = []
      let next: string | null = '/api/environments/1/events/?event=page&limit=2'
      for (let page = 0; next !== null && page < 10; page++) {
        const { body }: { body: { results: { properties: { number: number } }[]; next: string | null } } =
          await service.api(next)
        seen.push(...body.results.map(({ properties }) => properties.number))
        next = body.next === null ? null : body.next.slice(service.url.length)
      }
      expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0])
    })

    it.each([
      ['after=yesterdayish', 'after'],
      ['properties={', 'properties'],
      ['properties=[{"key":"a","operator":"resembles","value":1}]', 'properties__0__operator'],
      ['properties=[{}]', 'properties__0'],
      ['properties=[null]', 'properties__0'],
      ['properties=[{"key":"a","operator":"regex","value":"("}]', 'properties__0__value'],
      ['limit=many', 'limit'],
      ['cursor=bm9uc2Vuc2U', 'cursor'],
    ])('refuse %s', async (query, attr) =>
      expect(await service.api(`events/?${query}`)).toMatchObject({ status: 400, body: { attr } }),
    )

    it('are found one by one, in their own project', async () => {
      const { id } = (await service.api('events/?event=page')).body.results[0]
      expect((await service.api(`events/${id}/`)).body).toMatchObject({
        id,
        event: 'page',
        person: { distinct_ids: ['visitor 0'] },
      })
      expect((await service.api(`/api/projects/2/events/${id}/`)).status).toBe(404)
      expect((await service.api('events/nonsense/')).status).toBe(404)
      expect((await service.api('events/', { key: KEYS.personsRead })).status).toBe(403)
    })
  })

  it('groups and their types', async () => {
    expect((await service.api('groups_types/')).body).toEqual([
      { group_type: 'company', group_type_index: 0, name_singular: null, name_plural: null },
    ])
    const groups = await service.api('groups/?group_type_index=0')
    expect(groups.body).toMatchObject({
      next: null,
      results: [{ group_type_index: 0, group_key: 'acme', group_properties: { name: 'Acme' } }],
    })
    expect((await service.api('groups/?group_type_index=0&search=ACM')).body.results).toHaveLength(1)
    expect((await service.api('groups/find/?group_type_index=0&group_key=acme')).body.group_key).toBe('acme')
    expect((await service.api('groups/find/?group_type_index=0&group_key=no')).status).toBe(404)
    expect((await service.api('groups/?group_type_index=9')).body.attr).toBe('group_type_index')
    expect((await service.api('groups/')).body).toMatchObject({ code: 'required', attr: 'group_type_index' })
    expect((await service.api('groups_types/', { key: KEYS.personsRead })).status).toBe(403)
  })

  it('definitions of events and properties', async () => {
    await service.waitFor(async () => (await service.api('event_definitions/')).body.count >= 3, 'the definitions')
    const events = await service.api('event_definitions/?search=pag')
    expect(events.body).toMatchObject({ count: 1, results: [{ name: 'page', count: 7 }] })
    const properties = await service.api('property_definitions/?event_names=["page"]&search=num')
    expect(properties.body.results).toMatchObject([
      { name: 'number', type: 'event', property_type: 'Numeric', is_numerical: true },
    ])
    expect(
      (await service.api('property_definitions/?type=person')).body.results.map(({ name }: { name: string }) => name),
    ).toContain('even')
    expect((await service.api('events/values/?key=$browser&value=saf')).body).toEqual([{ name: 'Safari' }])
    expect((await service.api('property_definitions/?type=nothing')).status).toBe(400)
  })
})
