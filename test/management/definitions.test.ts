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
    await service.waitFor(async () => (await service.api('event_definitions/')).body.count === 2, 'the definitions')
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

  it('survives the next events of the same name', async () => {
    await service.capture({ event: 'paid', distinct_id: 'ben' })
    await service.waitFor(async () => (await service.api('events/?event=paid')).body.results.length === 2)
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
