import { PostHog } from 'posthog-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService, TOKENS } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await service.capture([
    { event: 'bought', distinct_id: 'ada', properties: { $set: { plan: 'pro', email: 'ada@example.com' } } },
    { event: 'looked', distinct_id: 'bob', properties: { $set: { plan: 'free' } } },
    {
      event: '$groupidentify',
      distinct_id: 'ada',
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 50 } },
    },
  ])
  await service.stored()
})
afterAll(() => service?.stop())

const json = async (answer: Response | Promise<Response>) => JSON.parse(await (await answer).text())

/** Makes a flag and waits until it is served. */
async function flag(key: string, filters: object, more: object = {}) {
  const { status, body, text } = await service.api('feature_flags/', { body: { key, filters, ...more } })
  expect(status, text).toBe(201)
  await expect.poll(async () => key in (await ask('somebody')).flags).toBe(true)
  return body
}

const send = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { method: 'POST', body: JSON.stringify({ token: TOKENS.one, ...body }), headers })
const ask = async (distinct_id: string, more: object = {}) =>
  json(send('/flags/?v=2', { distinct_id, evaluation_runtime: 'all', ...more }))
const valueFor = async (key: string, distinct_id: string, more: object = {}) => {
  const { flags } = await ask(distinct_id, more)
  return flags[key].variant ?? flags[key].enabled
}
const person = (key: string, value: unknown, operator = 'exact') => ({ type: 'person', key, value, operator })
const when = (...properties: object[]) => ({ groups: [{ properties, rollout_percentage: 100 }] })
const definitions = (headers: Record<string, string>, path = '/flags/definitions') =>
  fetch(`${service.url}${path}?token=${TOKENS.one}&send_cohorts`, { headers })

describe('flags on the wire', () => {
  it('follow the stored person, and what is sent counts over it', async () => {
    const { id } = await flag('pro', { ...when(person('plan', 'pro')), payloads: { true: '{"color":"red"}' } })
    expect((await ask('ada')).flags.pro).toEqual({
      key: 'pro',
      enabled: true,
      variant: null,
      reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
      metadata: { id, version: 1, description: null, payload: '{"color":"red"}', has_experiment: false },
    })
    expect(await valueFor('pro', 'bob')).toBe(false)
    expect(await valueFor('pro', 'bob', { person_properties: { plan: 'PRO' } })).toBe(true)
    expect(await valueFor('pro', 'nobody-yet')).toBe(false)
  })

  it('answer in the form of every version', async () => {
    const body = (path: string) => json(send(path, { distinct_id: 'ada' }))
    expect(await body('/flags/?v=1')).toMatchObject({
      featureFlags: { pro: true },
      featureFlagPayloads: { pro: '{"color":"red"}' },
    })
    expect(await body('/flags/')).toMatchObject({ flags: { pro: { enabled: true } }, hasFeatureFlags: true })
    expect((await body('/decide/')).featureFlags).toContain('pro')
    expect(await body('/decide/?v=2')).toMatchObject({ featureFlags: { pro: true } })
    expect(await body('/decide/?v=3')).toMatchObject({ featureFlags: { pro: true }, sessionRecording: {} })
    expect(await body('/decide/?v=4')).toMatchObject({ flags: { pro: { key: 'pro' } } })
    expect(await body('/flags/?v=2&config=true')).toMatchObject({ supportedCompression: ['gzip', 'gzip-js'] })
    const config = await fetch(`${service.url}/array/${TOKENS.one}/config`)
    expect(await config.json()).toMatchObject({ hasFeatureFlags: true })
    expect(await (await fetch(`${service.url}/array/${TOKENS.two}/config`)).json()).toMatchObject({
      hasFeatureFlags: false,
    })
  })

  it('are narrowed by keys, runtime and contexts, and left out when nothing is wanted', async () => {
    await flag('for-servers', when(), { evaluation_runtime: 'server' })
    await flag('for-checkout', when(), { evaluation_contexts: ['checkout'] })
    const keys = async (more: object, headers = {}) =>
      Object.keys((await json(send('/flags/?v=2', { distinct_id: 'ada', ...more }, headers))).flags)
    expect(await keys({ flag_keys_to_evaluate: ['pro', 'gone'] })).toEqual(['pro'])
    expect(await keys({}, { 'user-agent': 'Mozilla/5.0' })).not.toContain('for-servers')
    expect(await keys({}, { 'user-agent': 'posthog-python/7.0' })).toContain('for-servers')
    expect(await keys({ evaluation_contexts: ['home'] })).not.toContain('for-checkout')
    expect(await keys({ evaluation_contexts: ['checkout'] })).toEqual(expect.arrayContaining(['for-checkout', 'pro']))
    expect(await keys({ disable_flags: true })).toEqual([])
  })

  it('about groups use what is stored of the group', async () => {
    await flag('large-companies', {
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ type: 'group', group_type_index: 0, key: 'size', operator: 'gt', value: 10 }] }],
    })
    expect(await valueFor('large-companies', 'bob', { groups: { company: 'acme' } })).toBe(true)
    expect(await valueFor('large-companies', 'bob', { groups: { company: 'tiny' } })).toBe(false)
    expect((await ask('bob')).flags['large-companies'].reason.code).toBe('no_group_type')
    const group_properties = { company: { size: 11 } }
    expect(await valueFor('large-companies', 'bob', { groups: { company: 'tiny' }, group_properties })).toBe(true)
  })

  it('may use a cohort by behaviour, which counts a few seconds later', async () => {
    const values = [
      {
        type: 'behavioral',
        key: 'bought',
        value: 'performed_event',
        event_type: 'events',
        time_value: 7,
        time_interval: 'day',
      },
    ]
    const { body: cohort } = await service.api('cohorts/', {
      body: { name: 'buyers', filters: { properties: { type: 'AND', values } } },
    })
    await flag('buyers', when({ type: 'cohort', key: 'id', value: cohort.id, operator: 'in' }))
    // The members are asked of ClickHouse, and a flag that would have to wait long for them is off.
    await expect.poll(async () => (await ask('ada')).flags.buyers.enabled).toBe(true)
    expect((await ask('ada')).flags.buyers).toMatchObject({
      enabled: true,
      reason: { code: 'condition_match', description: expect.stringContaining('seconds') },
    })
    expect(await valueFor('buyers', 'bob')).toBe(false)
    await service.capture({ event: 'bought', distinct_id: 'bob' })
    await expect.poll(() => valueFor('buyers', 'bob')).toBe(true)
  })

  it('may use a static cohort, at once when somebody is added', async () => {
    const { body: cohort } = await service.api('cohorts/', {
      body: { name: 'chosen', is_static: true, distinct_ids: ['ada'] },
    })
    await flag('chosen', when({ type: 'cohort', key: 'id', value: cohort.id, operator: 'in' }))
    await expect.poll(() => valueFor('chosen', 'ada')).toBe(true)
    expect(await valueFor('chosen', 'bob')).toBe(false)
  })

  it('change within a moment of being changed', async () => {
    const { id } = await flag('changing', when())
    expect(await valueFor('changing', 'ada')).toBe(true)
    await service.api(`feature_flags/${id}/`, { method: 'PATCH', body: { active: false } })
    await expect.poll(async () => (await ask('ada')).flags.changing.reason.code).toBe('flag_disabled')
    await service.api(`feature_flags/${id}/`, { method: 'PATCH', body: { deleted: true } })
    await expect.poll(async () => 'changing' in (await ask('ada')).flags).toBe(false)
  })

  it('early access: a choice of the person decides, and is listed for pages', async () => {
    await flag('new-editor', { groups: [{ properties: [], rollout_percentage: 0 }], feature_enrollment: true })
    const person_properties = { '$feature_enrollment/new-editor': true }
    expect((await ask('bob', { person_properties })).flags['new-editor']).toMatchObject({
      enabled: true,
      reason: { code: 'super_condition_value' },
    })
    const listed = await fetch(`${service.url}/api/early_access_features/?token=${TOKENS.one}`)
    expect(await listed.json()).toEqual({ earlyAccessFeatures: expect.any(Array) })
  })
})

describe('experience continuity', () => {
  const half = { groups: [{ properties: [], rollout_percentage: 50 }] }
  /** Anonymous ids that are in, and users that would be out by themselves. */
  const pairs: [anon: string, user: string][] = []

  it('keeps the value over identify, before and after the person is stored', async () => {
    await flag('kept', half, { ensure_experience_continuity: true })
    for (let n = 0; pairs.length < 5; n++) {
      const [anon, user] = [`anon-${n}`, `user-${n}`]
      if ((await valueFor('kept', anon)) === true && (await valueFor('kept', user)) === false) pairs.push([anon, user])
    }
    // The SDK asks with the anonymous id once, when the person is not there yet.
    for (const [anon, user] of pairs) expect(await valueFor('kept', user, { $anon_distinct_id: anon })).toBe(true)
    for (const [, user] of pairs) expect(await valueFor('kept', user)).toBe(true)
    await service.capture(
      pairs.map(([anon, user]) => ({ event: '$identify', distinct_id: user, properties: { $anon_distinct_id: anon } })),
    )
    const stored = async ([anon]: [string, string]) =>
      (await service.api(`persons/?distinct_id=${anon}`)).body.results.length === 1
    await service.waitFor(async () => (await Promise.all(pairs.map(stored))).every(Boolean), 'the persons')
    for (const [anon, user] of pairs) {
      await expect.poll(() => valueFor('kept', user)).toBe(true)
      expect(await valueFor('kept', anon)).toBe(true)
    }
  })

  it('does not change with a second anonymous id, and goes along in a merge', async () => {
    const [[, user] = ['', '']] = pairs
    let other = 0
    while ((await valueFor('kept', `elsewhere-${other}`)) === true) other++
    expect(await valueFor('kept', user, { $anon_distinct_id: `elsewhere-${other}` })).toBe(true)
    expect(await valueFor('kept', user)).toBe(true)
    // Another id of the person, which is out by itself.
    let alias = 0
    while ((await valueFor('kept', `alias-${alias}`)) === true) alias++
    await service.capture({ event: '$create_alias', distinct_id: user, properties: { alias: `alias-${alias}` } })
    await expect.poll(() => valueFor('kept', `alias-${alias}`)).toBe(true)
  })

  it('ends with the person', async () => {
    const [, [, user] = ['', '']] = pairs
    const found = (await service.api(`persons/?distinct_id=${user}`)).body.results[0]
    expect((await service.api(`persons/${found.uuid}/`, { method: 'DELETE' })).status).toBe(204)
    await expect.poll(() => valueFor('kept', user)).toBe(false)
  })

  it('survives the end of the process', async () => {
    const [, , [anon, user] = ['', ''], [newAnon] = ['']] = pairs
    // Answered, and then the power goes.
    expect(await valueFor('kept', `late-${user}`, { $anon_distinct_id: newAnon })).toBe(true)
    await service.kill9()
    service = await startTestService({ data: service.data })
    await expect.poll(() => valueFor('kept', user)).toBe(true)
    await expect.poll(() => valueFor('kept', anon)).toBe(true)
    await expect.poll(() => valueFor('kept', `late-${user}`)).toBe(true)
  })
})

describe('definitions for servers', () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

  it('are given to secret keys and personal keys with the scope, of that project only', async () => {
    const { body: key, status } = await service.api('project_secret_api_keys/', { body: { label: 'backend' } })
    expect([status, key.value]).toEqual([201, expect.stringMatching(/^phs_/)])
    expect((await service.api('project_secret_api_keys/')).body.results).toMatchObject([
      { label: 'backend', value: null },
    ])
    for (const path of ['/flags/definitions', '/flags/definitions/', '/api/feature_flag/local_evaluation/'])
      for (const value of [key.value, KEYS.all]) expect((await definitions(bearer(value), path)).status).toBe(200)
    for (const headers of [
      {},
      bearer('phs_wrong'),
      bearer('phx_wrong'),
      bearer(KEYS.personsRead),
      bearer(KEYS.projectTwo),
    ])
      expect((await definitions(headers)).status).toBe(401)
    const other = await fetch(`${service.url}/flags/definitions?token=${TOKENS.two}`, { headers: bearer(key.value) })
    expect(other.status).toBe(401)
    const rolled = await service.api(`project_secret_api_keys/${key.id}/roll/`, { method: 'POST', body: {} })
    expect((await definitions(bearer(key.value))).status).toBe(401)
    expect((await definitions(bearer(rolled.body.value))).status).toBe(200)
    await service.api(`project_secret_api_keys/${key.id}/`, { method: 'DELETE' })
    expect((await definitions(bearer(rolled.body.value))).status).toBe(401)
  })

  it('are not sent again while nothing has changed', async () => {
    const first = await definitions(bearer(KEYS.all))
    const etag = first.headers.get('etag') ?? ''
    expect(await first.json()).toMatchObject({ group_type_mapping: { '0': 'company' }, cohorts: {} })
    expect((await definitions({ ...bearer(KEYS.all), 'if-none-match': etag })).status).toBe(304)
    await flag('later', when())
    const again = await definitions({ ...bearer(KEYS.all), 'if-none-match': etag })
    expect([again.status, again.headers.get('etag') === etag]).toEqual([200, false])
  })

  it('name other flags by key, with the order to decide them in', async () => {
    const first = await flag('base', when())
    const dependent = { type: 'flag', key: String(first.id), operator: 'flag_evaluates_to', value: true }
    await flag('on-top', when(dependent))
    const { flags } = await json(definitions(bearer(KEYS.all)))
    const found = flags.find(({ key }: { key: string }) => key === 'on-top')
    expect(found.filters.groups[0].properties[0]).toMatchObject({ key: 'base', dependency_chain: ['base'] })
    expect(await valueFor('on-top', 'ada')).toBe(true)
  })

  it('remote configuration is the payload itself', async () => {
    await flag('limits', { ...when(), payloads: { true: '{"max":5}' } }, { is_remote_configuration: true })
    const path = `${service.url}/api/projects/@current/feature_flags/limits/remote_config?token=${TOKENS.one}`
    const answer = await fetch(path, { headers: bearer(KEYS.all) })
    expect([answer.status, await answer.json()]).toEqual([200, '{"max":5}'])
    expect((await fetch(path)).status).toBe(401)
  })
})

describe('posthog-node', () => {
  const client = (options: object = {}) =>
    new PostHog(TOKENS.one, { host: service.url, flushAt: 100, flushInterval: 60_000, ...options })

  it('gets flags from the service', async () => {
    const remote = client()
    expect(await remote.getFeatureFlag('pro', 'ada')).toBe(true)
    expect(await remote.getFeatureFlagPayload('pro', 'ada')).toEqual({ color: 'red' })
    expect(await remote.isFeatureEnabled('pro', 'bob')).toBe(false)
    expect(await remote.getAllFlags('ada')).toMatchObject({ pro: true, base: true })
    await remote.shutdown()
  })

  it('evaluates them itself, with a secret key', async () => {
    const { body: key } = await service.api('project_secret_api_keys/', { body: { label: 'node' } })
    const local = client({ personalApiKey: key.value, featureFlagsPollingInterval: 60_000 })
    await local.reloadFeatureFlags()
    const only = { onlyEvaluateLocally: true }
    expect(await local.getFeatureFlag('pro', 'x', { ...only, personProperties: { plan: 'pro' } })).toBe(true)
    expect(await local.getFeatureFlag('pro', 'x', { ...only, personProperties: { plan: 'free' } })).toBe(false)
    expect(await local.getFeatureFlag('on-top', 'x', only)).toBe(true)
    // A cohort by behaviour is for the service to say.
    expect(await local.getFeatureFlag('buyers', 'ada', { ...only, personProperties: {} })).toBeUndefined()
    expect(await local.getFeatureFlag('buyers', 'ada')).toBe(true)
    expect(await local.getRemoteConfigPayload('limits')).toEqual({ max: 5 })
    await local.shutdown()
  })
})
