import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, OWNER, startTestService, type TestService } from '../support/service.ts'

describe('what people write beside events and properties', () => {
  let service: TestService
  const STRANGE = `a/b "quoted" ${'x'.repeat(150)}`

  beforeAll(async () => {
    service = await startTestService()
    await service.capture([
      { event: 'paid', distinct_id: 'ada', properties: { amount: '12', $set: { city: 'Oslo' } } },
      { event: STRANGE, distinct_id: 'ada' },
    ])
    await service.stored()
  })
  afterAll(() => service?.stop())

  const find = async (kind: 'event' | 'property', name: string, type = 'event') => {
    const { body } = await service.api(`${kind}_definitions/?search=${encodeURIComponent(name)}&type=${type}`)
    return body.results[0]
  }
  const change = (kind: 'event' | 'property', id: string, body: unknown, key: string = KEYS.all) =>
    service.api(`${kind}_definitions/${id}/`, { method: 'PATCH', body, key })

  it('an event is described, tagged, verified and hidden; what is not sent stays', async () => {
    const { id } = await find('event', 'paid')
    const described = await change('event', id, { description: 'Money came in', tags: ['billing', 'billing', 'core'] })
    expect(described).toMatchObject({
      status: 200,
      body: {
        id,
        name: 'paid',
        description: 'Money came in',
        tags: ['billing', 'core'],
        verified: false,
        hidden: false,
      },
    })
    const before = Date.now()
    const verified = await change('event', id, { verified: true })
    expect(verified.body).toMatchObject({
      description: 'Money came in',
      verified: true,
      verified_by: { email: OWNER.email },
      updated_by: { email: OWNER.email },
    })
    expect(Date.parse(verified.body.verified_at)).toBeGreaterThanOrEqual(before - 1_000)
    expect((await change('event', id, { verified: false })).body).toMatchObject({ verified: false, verified_by: null })
    await change('event', id, { hidden: true })
    expect((await service.api('event_definitions/?exclude_hidden=true')).body.count).toBe(1)
    expect((await service.api('event_definitions/')).body.count).toBe(2)
    expect((await service.api(`event_definitions/${id}/`)).body).toMatchObject({ hidden: true })
    expect((await find('event', 'money')).name).toBe('paid')
  })

  it('a property says which share of events, persons and groups has it, however often it was sent', async () => {
    const viewed = (properties: object) => ({ event: 'viewed', distinct_id: 'cy', properties })
    const mail = { $set: { mail: 'cy@x.org', gone: null } }
    await service.capture([viewed({ ...mail, width: 1 }), viewed(mail), viewed(mail), viewed({})])
    await service.capture([
      {
        event: '$groupidentify',
        distinct_id: 'cy',
        properties: { $group_type: 'firm', $group_key: 'a', $group_set: { size: 1 } },
      },
      {
        event: '$groupidentify',
        distinct_id: 'cy',
        properties: { $group_type: 'firm', $group_key: 'b', $group_set: {} },
      },
    ])
    const shares = async (query: string) => {
      const { body } = await service.api(`property_definitions/?share=true&${query}`)
      return Object.fromEntries(body.results.map(({ name, share }: { name: string; share: number }) => [name, share]))
    }
    const sql = async (query: string) =>
      (await service.api('query/', { body: { query: { kind: 'HogQLQuery', query } } })).body.results[0][0]
    await service.stored()
    const ofPersons = await shares('type=person')
    expect(ofPersons.mail).toBeCloseTo(
      await sql('select countIf(isNotNull(properties.mail)) / count() from persons'),
      6,
    )
    expect(ofPersons).toMatchObject({
      mail: expect.closeTo(1 / (await sql('select count() from persons')), 6),
      gone: 0,
    })
    expect(await shares(`event_names=${encodeURIComponent('["viewed"]')}`)).toMatchObject({ width: 0.25, $ip: 1 })
    expect(await shares('type=group')).toEqual({ size: 0.5 })
    expect((await service.api('property_definitions/?type=person')).body.results[0]).not.toHaveProperty('share')
  })

  it('an event is not last seen before it was first', async () => {
    const { body } = await service.api('event_definitions/')
    for (const { created_at, last_seen_at } of body.results)
      expect(Date.parse(last_seen_at)).toBeGreaterThanOrEqual(Date.parse(created_at))
  })

  it('survives the next events of the same name', async () => {
    await service.capture({ event: 'paid', distinct_id: 'ben' })
    await service.stored()
    expect(await find('event', 'paid')).toMatchObject({ description: 'Money came in', tags: ['billing', 'core'] })
  })

  it('names of any kind have an id that fits into an address', async () => {
    const { id } = await find('event', STRANGE)
    expect((await change('event', id, { description: 'odd' })).body).toMatchObject({ name: STRANGE })
  })

  it('a property is described, and told what it is', async () => {
    const { id } = await find('property', 'amount')
    const changed = await change('property', id, { property_type: 'Numeric', description: 'In euros' })
    expect(changed.body).toMatchObject({ name: 'amount', property_type: 'Numeric', is_numerical: true })
    const city = await find('property', 'city', 'person')
    expect((await change('property', city.id, { tags: ['place'] })).body).toMatchObject({
      type: 'person',
      name: 'city',
    })
    expect(await change('property', id, { property_type: 'Colour' })).toMatchObject({
      status: 400,
      body: { attr: 'property_type' },
    })
  })

  it('needs the right to write, and the right project', async () => {
    const { id } = await find('event', 'paid')
    expect((await change('event', id, {}, KEYS.persons)).status).toBe(403)
    const elsewhere = `/api/environments/2/event_definitions/${id}/`
    expect((await service.api(elsewhere, { method: 'PATCH', body: { hidden: true } })).status).toBe(404)
    expect((await change('event', 'paid', {})).status).toBe(404)
  })
})
