import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

describe('events are listed', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await service.capture(
      [0, 1, 2, 3, 4].map((n) => ({
        event: 'bought',
        distinct_id: `buyer-${n % 2}`,
        timestamp: `2024-01-0${n + 1}T00:00:00Z`,
        properties: { n, plan: n % 2 === 0 ? 'free' : 'pro', $set: { seat: n % 2 } },
      })),
    )
    await service.stored()
  })
  afterAll(() => service?.stop())

  const bought = async (query: Record<string, string> = {}): Promise<number[]> => {
    const { body } = await service.api(`events/?${new URLSearchParams({ event: 'bought', ...query })}`)
    return body.results.map((event: { properties: { n: number } }) => event.properties.n)
  }
  const where = (...filters: object[]) => ({ properties: JSON.stringify(filters) })

  it('newest first, between two moments, of one distinct id', async () => {
    expect(await bought()).toEqual([4, 3, 2, 1, 0])
    expect(await bought({ after: '2024-01-02T00:00:00Z', before: '2024-01-05' })).toEqual([3, 2])
    expect(await bought({ distinct_id: 'buyer-1' })).toEqual([3, 1])
  })

  it('by their properties, in the words of any other query', async () => {
    expect(await bought(where({ key: 'plan', value: 'pro' }))).toEqual([3, 1])
    expect(await bought(where({ key: 'n', operator: 'gte', value: 2 }, { key: 'plan', value: ['free'] }))).toEqual([
      4, 2,
    ])
    expect(await bought(where({ key: 'seat', type: 'person', value: 0 }))).toEqual([4, 2, 0])
    expect(await bought({ properties: '{"plan":"pro"}' })).toEqual([3, 1])
  })

  it('page by page with a filter, each once', async () => {
    const seen: number[] = []
    let next: string | null = `events/?${new URLSearchParams({ limit: '1', ...where({ key: 'plan', value: 'free' }) })}`
    for (let page = 0; next !== null && page < 10; page++) {
      const { body }: { body: { results: { properties: { n: number } }[]; next: string | null } } =
        await service.api(next)
      seen.push(...body.results.map((event: { properties: { n: number } }) => event.properties.n))
      next = body.next?.slice(body.next.indexOf('events/?')) ?? null
    }
    expect(seen).toEqual([4, 2, 0])
  })

  it('and a filter that is none is refused with where it stands', async () => {
    for (const properties of [
      '[{',
      '[1]',
      '[{"key":"n","operator":"almost","value":1}]',
      '[{"key":"n","operator":"regex","value":"("}]',
    ])
      expect(await service.api(`events/?${new URLSearchParams({ properties })}`)).toMatchObject({
        status: 400,
        body: { type: 'validation_error', attr: expect.stringContaining('properties') },
      })
  })

  it('of a person, also under the uuid of one that was merged into it', async () => {
    const personOf = async (id: string) => (await service.api(`persons/?distinct_id=${id}`)).body.results[0]
    await service.capture([
      { event: 'met', distinct_id: 'guest-7' },
      { event: 'met', distinct_id: 'ada' },
    ])
    const guest = await service.waitFor(async () => (await personOf('ada')) && personOf('guest-7'), 'both persons')
    const met = async (query = '') => (await service.api(`events/?event=met${query}`)).body.results.length
    await service.stored()
    await service.capture({ event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'guest-7' } })
    const ada = await service.waitFor(async () => {
      const found = await personOf('guest-7')
      return found?.uuid !== guest.uuid && found
    }, 'the merge')
    for (const id of [ada.uuid, guest.uuid, ada.id])
      await service.waitFor(async () => (await met(`&person_id=${id}`)) === 2, `both events under ${id}`)
    for (const id of [guest.id, randomUUID()]) expect(await met(`&person_id=${id}`)).toBe(0)
  })
})
