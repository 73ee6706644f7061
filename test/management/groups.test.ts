import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

describe('properties of groups', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    const group = (type: string, key: string, set: object) => ({
      event: '$groupidentify',
      distinct_id: 'somebody',
      properties: { $group_type: type, $group_key: key, $group_set: set },
    })
    await service.capture([
      group('company', 'acme', { plan: 'scale', seats: 12, trial: false, tags: ['a'] }),
      group('company', 'brig', { plan: 'free', seats: 3 }),
      group('company', 'cove', { plan: 'free' }),
      group('team', 'sails', { plan: 'team plan' }),
    ])
    await service.stored()
  })
  afterAll(() => service?.stop())

  const values = async (query: Record<string, string>) =>
    (await service.api(`groups/property_values/?${new URLSearchParams({ group_type_index: '0', ...query })}`)).body

  it('are named by type, the most frequent first', async () => {
    expect((await service.api('groups/property_definitions/')).body).toEqual({
      0: [
        { name: 'plan', count: 3 },
        { name: 'seats', count: 2 },
        { name: 'tags', count: 1 },
        { name: 'trial', count: 1 },
      ],
      1: [{ name: 'plan', count: 1 }],
    })
  })

  it('have values, the most frequent first, of one type, and are searched in any case', async () => {
    expect(await values({ key: 'plan' })).toEqual([
      { name: 'free', count: 2 },
      { name: 'scale', count: 1 },
    ])
    expect(await values({ key: 'plan', value: 'SCA' })).toEqual([{ name: 'scale', count: 1 }])
    expect(await values({ key: 'plan', group_type_index: '1' })).toEqual([{ name: 'team plan', count: 1 }])
    expect(await values({ key: 'seats' })).toEqual([
      { name: '12', count: 1 },
      { name: '3', count: 1 },
    ])
    expect(await values({ key: 'trial' })).toEqual([{ name: 'false', count: 1 }])
    expect(await values({ key: "no'body \0" })).toEqual([])
  })

  it('are refused without a type, a key or the scope', async () => {
    expect((await service.api('groups/property_values/?key=plan')).body).toMatchObject({ attr: 'group_type_index' })
    expect((await service.api('groups/property_values/?group_type_index=0')).body).toMatchObject({ attr: 'key' })
    for (const path of ['groups/property_values/?group_type_index=0&key=plan', 'groups/property_definitions/'])
      expect((await service.api(path, { key: KEYS.personsRead })).status).toBe(403)
  })

  it('a search with characters that nothing can hold finds nothing', async () => {
    const found = await service.api('groups/?group_type_index=0&search=%00')
    expect([found.status, found.body.results]).toEqual([200, []])
    expect((await service.api('groups/find/?group_type_index=0&group_key=%00')).status).toBe(404)
  })
})
