import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts'
import { startTestService, type TestService, TOKENS } from '../support/service.ts'

const FLAGS = 10_000

/** Held by the test: ten thousand requests to the management API would take minutes. */
let postgres: OwnPostgres
let service: TestService
beforeAll(async () => {
  postgres = await startOwnPostgres()
  service = await startTestService({ env: { FOOTFALL_POSTGRES_URL: postgres.url } })
  await service.capture({ event: 'bought', distinct_id: 'ada', properties: { $set: { plan: 'pro', name: 'Ädä ✓' } } })
})
afterAll(async () => {
  await service?.stop()
  await postgres?.stop()
})

const ask = async (distinct_id: string, more: object = {}) => {
  const answer = await fetch(`${service.url}/flags/?v=2`, {
    method: 'POST',
    body: JSON.stringify({ token: TOKENS.one, distinct_id, ...more }),
  })
  expect(answer.status).toBe(200)
  return JSON.parse(await answer.text())
}
const metric = async (name: string) => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

describe('answers', () => {
  it('keep every alphabet, and are counted', async () => {
    const filters = {
      groups: [{ properties: [], rollout_percentage: 100 }],
      payloads: { true: '{"text":"grün ✓ 🎈"}' },
    }
    const { status } = await service.api('feature_flags/', { body: { key: 'colour', filters } })
    expect(status).toBe(201)
    const payload = async () => (await ask('ada')).flags.colour?.metadata.payload
    await expect.poll(payload).toBe('{"text":"grün ✓ 🎈"}')
    const older = await fetch(`${service.url}/decide/?v=3`, {
      method: 'POST',
      body: JSON.stringify({ token: TOKENS.one, distinct_id: 'ada' }),
    })
    const text = await older.text()
    expect(older.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(JSON.parse(text).featureFlagPayloads.colour).toBe('{"text":"grün ✓ 🎈"}')
    expect(await metric('footfall_flag_answer_seconds_count')).toBeGreaterThan(1)
  })

  it('change for somebody who asks again as soon as what is known of them changes', async () => {
    const properties = [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }]
    await service.api('feature_flags/', { body: { key: 'for-pro', filters: { groups: [{ properties }] } } })
    await expect.poll(async () => (await ask('ada')).flags['for-pro']?.enabled).toBe(true)
    expect((await ask('ada', { person_properties: { plan: 'free' } })).flags['for-pro'].enabled).toBe(false)
    expect((await ask('ada')).flags['for-pro'].enabled).toBe(true)
    await service.capture({ event: '$set', distinct_id: 'ada', properties: { $set: { plan: 'free' } } })
    await expect.poll(async () => (await ask('ada')).flags['for-pro'].enabled).toBe(false)
  })
})

describe('ten thousand flags', () => {
  it('are answered, each of them, and in pages where people read them', async () => {
    const group = (n: number) => ({
      properties: n % 3 === 0 ? [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }] : [],
      rollout_percentage: 50,
    })
    const rows = Array.from({ length: FLAGS }, (_, n) => ({ key: `many-${n}`, filters: { groups: [group(n)] } }))
    await postgres.sql`
      INSERT INTO feature_flags (project_id, key, filters)
      SELECT 1, r.key, r.filters FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r (key text, filters jsonb)`
    const many = async () => Object.keys((await ask('ada')).flags).filter((key) => key.startsWith('many-')).length
    await expect.poll(many, { interval: 500 }).toBe(FLAGS)
    const { flags, errorsWhileComputingFlags } = await ask('somebody')
    expect(errorsWhileComputingFlags).toBe(false)
    const on = Object.values(flags as Record<string, { enabled: boolean }>).filter(({ enabled }) => enabled).length
    // A third needs a plan that nobody has sent; half of the others.
    expect(on / FLAGS).toBeGreaterThan(0.3)
    expect(on / FLAGS).toBeLessThan(0.37)
    const one = await ask('somebody', { flag_keys_to_evaluate: ['many-7'] })
    expect(one.flags['many-7']).toEqual(flags['many-7'])
    const first = (await service.api('feature_flags/my_flags/?limit=3')).body
    const next = (await service.api('feature_flags/my_flags/?limit=3&offset=3')).body
    const keys = [...first, ...next].map(({ feature_flag }: { feature_flag: { key: string } }) => feature_flag.key)
    expect(keys).toEqual([...keys].sort())
    expect(new Set(keys).size).toBe(6)
    expect((await service.api('feature_flags/my_flags/')).body).toHaveLength(1000)
  })
})
