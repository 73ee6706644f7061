import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, startTestService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.stop())

const FLAGS = 'feature_flags/'
const post = (path: string, body: unknown = {}, key?: string) =>
  service.api(path, { method: 'POST', body, ...(key ? { key } : {}) })
const patch = (path: string, body: unknown, key?: string) =>
  service.api(path, { method: 'PATCH', body, ...(key ? { key } : {}) })

/** A flag with these fields, and a key of its own. */
let made = 0
async function flag(fields: Record<string, unknown> = {}) {
  const { status, body, text } = await post(FLAGS, { key: `made-${++made}`, ...fields })
  expect(status, text).toBe(201)
  return body
}
const everybody = (rollout_percentage = 100) => ({ groups: [{ properties: [], rollout_percentage }] })
const dependingOn = (id: number) => ({
  groups: [{ properties: [{ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
})

describe('a flag', () => {
  it('is made, read by its id and its key, and changed a version at a time', async () => {
    const body = await flag({ key: 'first', name: 'The first', filters: everybody(30), tags: ['beta'] })
    expect(body).toMatchObject({
      key: 'first',
      name: 'The first',
      version: 1,
      active: true,
      archived: false,
      deleted: false,
      is_simple_flag: true,
      rollout_percentage: 30,
      status: 'ACTIVE',
      last_called_at: null,
      created_by: { email: 'owner@example.com' },
    })
    expect((await service.api(`${FLAGS}${body.id}/`)).body).toEqual(body)
    expect((await service.api(`${FLAGS}first/`)).body).toEqual(body)
    const changed = await patch(`${FLAGS}${body.id}/`, { name: 'Still the first' }, KEYS.colleague)
    expect(changed.body).toMatchObject({ name: 'Still the first', version: 2, filters: body.filters, tags: ['beta'] })
    expect(changed.body.last_modified_by.email).toBe('colleague@example.com')
    expect((await service.api(`${FLAGS}${body.id}/versions/1/`)).body).toMatchObject({
      name: 'The first',
      is_historical: true,
    })
    expect((await service.api(`${FLAGS}${body.id}/versions/3/`)).status).toBe(404)
    const log = (await service.api(`${FLAGS}${body.id}/activity/`)).body.results
    expect(log.map(({ activity }: { activity: string }) => activity)).toEqual(['updated', 'created'])
    expect(log[0].detail.changes).toEqual([
      { type: 'FeatureFlag', action: 'changed', field: 'name', before: 'The first', after: 'Still the first' },
    ])
    expect((await service.api(`${FLAGS}activity/`)).body.total_count).toBeGreaterThanOrEqual(2)
  })

  it('is for everybody when nothing else is said', async () => {
    expect((await flag()).filters).toEqual({ groups: [{ properties: [], rollout_percentage: null }] })
  })

  it('keeps its variants and payloads when only its conditions are sent', async () => {
    const variants = [50, 50].map((rollout_percentage, at) => ({ key: `v${at}`, rollout_percentage }))
    const { id } = await flag({ filters: { groups: [{}], multivariate: { variants }, payloads: { v0: '{"a":1}' } } })
    const { body } = await patch(`${FLAGS}${id}/`, { filters: { groups: [] } })
    expect(body.filters).toEqual({ groups: [], multivariate: { variants }, payloads: { v0: '{"a":1}' } })
  })

  it('is refused with the place and what to do', async () => {
    const refused = async (fields: unknown) => {
      const { status, body } = await post(FLAGS, fields)
      expect(status, JSON.stringify(fields)).toBe(400)
      expect(body.detail.length).toBeGreaterThan(10)
      return `${body.code} ${body.attr}`
    }
    const filters = (filter: object) => ({ key: 'bad', filters: { groups: [{ properties: [filter] }] } })
    expect(await refused({})).toBe('required key')
    expect(await refused({ key: 'with spaces' })).toBe('invalid_key key')
    await flag({ key: 'taken' })
    expect(await refused({ key: 'taken' })).toBe('unique key')
    expect(await refused({ key: 'bad', filters: { groups: [] } })).toBe('invalid_input filters__groups')
    expect(await refused({ key: 'bad', filters: [] })).toMatch(/ filters$/)
    const variants = [{ key: 'a', rollout_percentage: 40 }]
    expect(await refused({ key: 'bad', filters: { ...everybody(), multivariate: { variants } } })).toBe(
      'invalid_input filters__multivariate__variants',
    )
    expect(await refused(filters({ key: 'a', operator: 'nearly', value: 1 }))).toBe(
      'invalid_input filters__groups__0__properties__0__operator',
    )
    expect(await refused(filters({ key: 'a', operator: 'regex', value: '(' }))).toBe(
      'invalid_input filters__groups__0__properties__0__value',
    )
    // Values of the wrong type.
    for (const [operator, value] of [
      ['gt', ['1']],
      ['icontains', { a: 1 }],
      ['icontains_multi', 'text'],
      ['between', [2, 1]],
      ['is_date_after', 'soon'],
      ['semver_gt', 'latest'],
      ['regex', 5],
    ])
      expect(await refused(filters({ key: 'a', operator, value }))).toBe(
        'invalid_input filters__groups__0__properties__0__value',
      )
    expect(await refused({ key: 'bad', filters: { groups: [{ rollout_percentage: 'half' }] } })).toBe(
      'invalid_input filters__groups__0__rollout_percentage',
    )
    expect(await refused({ key: 'bad', filters: { ...everybody(), payloads: { true: '{' } } })).toMatch(/payloads/)
    expect(await refused(filters({ key: 'id', type: 'cohort', value: 999_999 }))).toBe(
      'invalid_input filters__groups__0__properties__0__value',
    )
    expect(await refused({ key: 'bad', filters: { groups: [{}], aggregation_group_type_index: 0 } })).toBe(
      'invalid_input filters__aggregation_group_type_index',
    )
    expect(await refused({ key: 'bad', filters: { groups: [{ description: 'half \ud800' }] } })).toMatch(/ filters$/)
    expect((await service.api(`${FLAGS}bad/`)).status).toBe(404)
  })

  it('is taken away by a field, not by DELETE, and leaves its key to others', async () => {
    const { id } = await flag({ key: 'leaving' })
    expect((await service.api(`${FLAGS}${id}/`, { method: 'DELETE' })).status).toBe(405)
    expect((await patch(`${FLAGS}${id}/`, { deleted: true })).body).toMatchObject({ deleted: true, status: 'DELETED' })
    expect((await service.api(`${FLAGS}?key=leaving`)).body.count).toBe(0)
    const other = await flag({ key: 'leaving' })
    expect((await service.api(`${FLAGS}leaving/`)).body.id).toBe(other.id)
    expect(await patch(`${FLAGS}${id}/`, { deleted: false })).toMatchObject({ status: 400, body: { code: 'unique' } })
    expect((await post(`${FLAGS}${id}/enable/`)).status).toBe(400)
  })

  it('may be made as one that is taken away, also under a key that another has', async () => {
    const { key } = await flag()
    expect(await flag({ key, deleted: true })).toMatchObject({ key, deleted: true })
    expect((await service.api(`${FLAGS}${key}/`)).body).toMatchObject({ key, deleted: false })
  })

  it('is not overwritten by somebody who read an older version of the same field', async () => {
    const { id, version, ...original_flag } = await flag({ name: 'as read', filters: everybody() })
    await patch(`${FLAGS}${id}/`, { name: 'of a colleague' }, KEYS.colleague)
    const late = await patch(`${FLAGS}${id}/`, { name: 'mine', version, original_flag })
    expect(late).toMatchObject({ status: 409, body: { code: 'conflict', attr: 'version' } })
    expect(late.body.detail).toContain('colleague@example.com')
    const beside = await patch(`${FLAGS}${id}/`, { filters: everybody(10), version, original_flag })
    expect(beside).toMatchObject({ status: 200, body: { name: 'of a colleague', rollout_percentage: 10 } })
    expect((await patch(`${FLAGS}${id}/`, { name: 'mine', version: beside.body.version })).status).toBe(200)
  })

  it('is enabled, disabled, archived and brought back, each without touching anything else', async () => {
    const { id } = await flag()
    const to = async (state: string) => (await post(`${FLAGS}${id}/${state}/`)).body
    expect(await to('disable')).toMatchObject({ active: false, version: 2, status: 'INACTIVE' })
    expect(await to('disable')).toMatchObject({ active: false, version: 2 })
    expect(await to('archive')).toMatchObject({ archived: true, active: false })
    expect((await post(`${FLAGS}${id}/enable/`)).status).toBe(400)
    expect((await service.api(`${FLAGS}?search=${(await service.api(`${FLAGS}${id}/`)).body.key}`)).body.count).toBe(0)
    expect(await to('unarchive')).toMatchObject({ archived: false })
    expect(await to('enable')).toMatchObject({ active: true })
  })

  it('is not turned off while active flags depend on it, and circles are refused', async () => {
    const base = await flag({ key: 'base-of-others' })
    const above = await flag({ key: 'above-it', filters: dependingOn(base.id) })
    expect((await service.api(`${FLAGS}${base.id}/dependent_flags/`)).body).toEqual([
      { id: above.id, key: 'above-it', name: '', active: true },
    ])
    for (const refused of [
      await post(`${FLAGS}${base.id}/disable/`),
      await patch(`${FLAGS}${base.id}/`, { active: false }),
      await patch(`${FLAGS}${base.id}/`, { deleted: true }),
    ]) {
      expect(refused.status).toBe(400)
      expect(refused.body.detail).toContain('"above-it"')
    }
    const circle = await patch(`${FLAGS}${base.id}/`, { filters: dependingOn(above.id) })
    expect(circle).toMatchObject({ status: 400, body: { attr: 'filters__groups__0__properties__0__key' } })
    expect(circle.body.detail).toContain('circle')
    await post(`${FLAGS}${above.id}/disable/`)
    await post(`${FLAGS}${base.id}/disable/`)
    expect((await post(`${FLAGS}${above.id}/enable/`)).body.detail).toContain('"base-of-others" is disabled')
  })

  it('says whether it is in use', async () => {
    const { id } = await flag({ filters: everybody() })
    expect((await service.api(`${FLAGS}${id}/status/`)).body).toEqual({
      status: 'ACTIVE',
      reason: 'The flag is on for everybody.',
      rollout: {
        effectively_full_rollout: true,
        has_targeting_conditions: false,
        max_rollout_percentage: 100,
        is_multivariate: false,
      },
    })
  })
})

describe('many flags', () => {
  it('are listed by what is asked for', async () => {
    const variants = [{ key: 'a', rollout_percentage: 100 }]
    await flag({ key: 'list-plain', name: 'One to FIND', tags: ['red'], active: false, evaluation_runtime: 'client' })
    await flag({ key: 'list-variants', tags: ['red', 'blue'], filters: { groups: [{}], multivariate: { variants } } })
    await flag({ key: 'list-remote', is_remote_configuration: true, evaluation_contexts: ['docs'], archived: true })
    const keys = async (query: string) => {
      const { status, body, text } = await service.api(`${FLAGS}?search=list-&${query}`)
      expect(status, text).toBe(200)
      return body.results.map(({ key }: { key: string }) => key).join(' ')
    }
    expect(await keys('')).toBe('list-variants list-plain')
    expect(await keys('order=key')).toBe('list-plain list-variants')
    expect(await keys('archived=true')).toBe('list-remote')
    expect(await keys('active=true')).toBe('list-variants')
    expect(await keys('active=false')).toBe('list-plain')
    expect(await keys('active=STALE')).toBe('')
    expect(await keys('type=multivariant')).toBe('list-variants')
    expect(await keys('type=boolean')).toBe('list-plain')
    expect(await keys('type=experiment')).toBe('')
    expect(await keys('type=remote_config&archived=true')).toBe('list-remote')
    expect(await keys('tags=["blue"]')).toBe('list-variants')
    expect(await keys('tags=red&excluded_tags=blue')).toBe('list-plain')
    expect(await keys('evaluation_runtime=client')).toBe('list-plain')
    expect(await keys('has_evaluation_contexts=true&archived=true')).toBe('list-remote')
    expect(await keys('created_by_id=[1]')).toBe('list-variants list-plain')
    expect(await keys('created_by_id=99,98')).toBe('')
    expect(await keys('key=list-plain')).toBe('list-plain')
    expect((await service.api(`${FLAGS}?search=to find`)).body.results[0].key).toBe('list-plain')
    expect((await service.api(`${FLAGS}?active=perhaps`)).status).toBe(400)
    expect((await service.api(`${FLAGS}?order=colour`)).status).toBe(400)
    const first = (await service.api(`${FLAGS}?limit=2`)).body
    const second = (await service.api(first.next.replace(service.url, ''))).body
    expect(second.results.every(({ id }: { id: number }) => id < first.results[1].id)).toBe(true)
  })

  it('are named, tagged and taken away at once, and what cannot be done is said', async () => {
    const one = await flag({ tags: ['old'] })
    const two = await flag()
    const above = await flag({ filters: dependingOn(two.id) })
    expect((await post(`${FLAGS}bulk_keys/`, { ids: [one.id, 999_999] })).body).toEqual({ keys: { [one.id]: one.key } })
    expect(
      (await post(`${FLAGS}bulk_update_tags/`, { ids: [one.id, 999_999], action: 'add', tags: ['new'] })).body,
    ).toEqual({
      updated: [{ id: one.id, tags: ['old', 'new'] }],
      skipped: [{ id: 999_999, reason: 'Flag not found.' }],
    })
    const { deleted, errors } = (await post(`${FLAGS}bulk_delete/`, { ids: [one.id, two.id, 999_999] })).body
    expect(deleted).toEqual([{ id: one.id, key: one.key }])
    expect(errors).toMatchObject([
      { id: two.id, key: two.key },
      { id: 999_999, key: null },
    ])
    expect(errors[0].reason).toContain(above.key)
  })
})

describe('who gets a flag', () => {
  const of = (key: string, value: unknown, more: object = {}) => ({
    key,
    type: 'person',
    operator: 'exact',
    value,
    ...more,
  })
  const matching = async (body: object) => {
    const { status, body: told, text } = await post(`${FLAGS}user_blast_radius/`, body)
    expect(status, text).toBe(200)
    return `${told.affected} of ${told.total}`
  }
  let cohort: { id: number }
  beforeAll(async () => {
    await service.capture([
      { event: 'bought', distinct_id: 'ada', properties: { $set: { plan: 'Pro', age: 30, email: 'ada@example.com' } } },
      { event: 'looked', distinct_id: 'bob', properties: { $set: { plan: 'free', age: '17' } } },
      { event: 'looked', distinct_id: 'eve', properties: { $set: { plan: 'pro' } } },
      {
        event: '$groupidentify',
        distinct_id: 'ada',
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 50 } },
      },
      {
        event: '$groupidentify',
        distinct_id: 'bob',
        properties: { $group_type: 'company', $group_key: 'tiny', $group_set: { size: 1 } },
      },
      {
        event: '$feature_flag_called',
        distinct_id: 'ada',
        properties: { $feature_flag: 'explained', $feature_flag_response: true },
      },
    ])
    await service.stored()
    const bought = {
      type: 'behavioral',
      key: 'bought',
      event_type: 'events',
      value: 'performed_event',
      time_value: 30,
      time_interval: 'day',
    }
    cohort = (await post('cohorts/', { name: 'Buyers', filters: { properties: { type: 'OR', values: [bought] } } }))
      .body
    await service.waitFor(async () => (await service.api(`cohorts/${cohort.id}/`)).body.count === 1)
  })

  it('is counted by the rules that SDKs are answered by', async () => {
    const condition = (...properties: object[]) => ({ condition: { properties } })
    expect(await matching(condition())).toBe('3 of 3')
    // Whatever the case, and numbers in texts.
    expect(await matching(condition(of('plan', ['pro'])))).toBe('2 of 3')
    expect(await matching(condition(of('age', 18, { operator: 'gt' })))).toBe('1 of 3')
    expect(await matching(condition(of('age', 18, { operator: 'lt' })))).toBe('1 of 3')
    expect(await matching(condition(of('age', null, { operator: 'is_not_set' })))).toBe('1 of 3')
    expect(await matching(condition(of('distinct_id', 'bob')))).toBe('1 of 3')
    expect(await matching(condition({ key: 'id', type: 'cohort', value: cohort.id, operator: 'in' }))).toBe('1 of 3')
    expect(await matching(condition({ key: 'id', type: 'cohort', value: cohort.id, operator: 'not_in' }))).toBe(
      '2 of 3',
    )
    const base = await flag({ filters: { groups: [{ properties: [of('plan', 'pro')] }] } })
    const needs = { key: String(base.id), type: 'flag', operator: 'flag_evaluates_to' }
    expect(await matching(condition({ ...needs, value: true }))).toBe('2 of 3')
    expect(await matching(condition({ ...needs, value: false }))).toBe('1 of 3')
    const size = { key: 'size', type: 'group', group_type_index: 0, operator: 'gt', value: 10 }
    expect(await matching({ ...condition(size), group_type_index: 0 })).toBe('1 of 2')
    const refused = await post(`${FLAGS}user_blast_radius/`, condition(of('plan', '(', { operator: 'regex' })))
    expect(refused).toMatchObject({ status: 400, body: { attr: 'condition__properties__0__value' } })
  })

  it('is explained condition by condition', async () => {
    const groups = [
      { properties: [of('age', 18, { operator: 'lt' })], rollout_percentage: 100 },
      { properties: [of('plan', 'pro'), { key: 'id', type: 'cohort', value: cohort.id, operator: 'in' }] },
    ]
    const { id } = await flag({ key: 'explained', filters: { groups, payloads: { true: '"hello"' } } })
    const explain = async (body: object) => (await post(`${FLAGS}${id}/test_evaluation/`, body)).body
    const ada = await explain({ distinct_id: 'ada' })
    expect(ada).toMatchObject({
      value: true,
      payload: '"hello"',
      evaluation: { reason: 'condition_match', condition_index: 1 },
      person: { name: 'ada@example.com', distinct_ids: ['ada'] },
    })
    expect(ada.conditions).toMatchObject([
      {
        matched: false,
        reason: 'no_condition_match',
        properties: [{ key: 'age', matched: false, actual: 30, is_set: true }],
      },
      {
        matched: true,
        properties: [
          { key: 'plan', matched: true, actual: 'Pro' },
          { type: 'cohort', matched: true, actual: true },
        ],
      },
    ])
    expect(await explain({ person_id: ada.person.uuid })).toMatchObject({ value: true, distinct_id: 'ada' })
    expect(await explain({ distinct_id: 'nobody' })).toMatchObject({ value: false, person: null })
    expect((await post(`${FLAGS}${id}/test_evaluation/`, {})).status).toBe(400)
    expect((await post(`${FLAGS}${id}/test_evaluation/`, { person_id: '999999' })).status).toBe(404)
    const { body } = await service.api(`${FLAGS}evaluation_reasons/?distinct_id=bob&flag_keys=explained`)
    expect(body).toEqual({
      explained: {
        value: true,
        evaluation: {
          reason: 'condition_match',
          condition_index: 0,
          description: expect.stringContaining('Matched condition set 1'),
        },
      },
    })
    expect((await service.api(`${FLAGS}evaluation_reasons/`)).status).toBe(400)
    const mine = (await service.api(`${FLAGS}my_flags/`)).body
    expect(mine.find((each: { feature_flag: { key: string } }) => each.feature_flag.key === 'explained').value).toBe(
      false,
    )
  })

  it('is a breakdown and a filter of every question, by the variants that events carry', async () => {
    const sent = (distinct_id: string, event: string, variant: string, session: string) => ({
      event,
      distinct_id,
      properties: { '$feature/new-nav': variant, $session_id: session },
    })
    await service.capture([
      sent('one', 'opened', 'blue', 's1'),
      sent('one', 'bought it', 'blue', 's1'),
      sent('two', 'opened', 'blue', 's2'),
      sent('three', 'opened', 'control', 's3'),
    ])
    const breakdownFilter = { breakdown: '$feature/new-nav', breakdown_type: 'event' }
    const properties = [{ key: '$feature/new-nav', type: 'event', operator: 'exact', value: ['blue'] }]
    const opened = { kind: 'EventsNode', event: 'opened' }
    const ask = async (query: object) =>
      (await post('query/', { query: { dateRange: { date_from: '-1d' }, ...query } })).body
    const byVariant = await service.waitFor(async () => {
      const { results } = await ask({ kind: 'TrendsQuery', series: [opened], breakdownFilter })
      const counts = Object.fromEntries(
        results.map((each: { breakdown_value: string; count: number }) => [each.breakdown_value, each.count]),
      )
      return counts.blue === 2 && counts.control === 1 ? counts : null
    })
    expect(byVariant).toEqual({ blue: 2, control: 1 })
    const filtered = await ask({ kind: 'TrendsQuery', series: [opened], properties })
    expect(filtered.results[0].count).toBe(2)
    const asFeature = [{ key: 'new-nav', type: 'feature', operator: 'exact', value: ['control'] }]
    expect((await ask({ kind: 'TrendsQuery', series: [opened], properties: asFeature })).results[0].count).toBe(1)
    const funnel = await ask({
      kind: 'FunnelsQuery',
      series: [opened, { kind: 'EventsNode', event: 'bought it' }],
      breakdownFilter,
    })
    const steps = funnel.results.map((one: { breakdown_value: string[]; count: number }[]) => [
      one[0]?.breakdown_value.join(),
      ...one.map(({ count }) => count),
    ])
    expect(steps.toSorted()).toEqual([
      ['blue', 2, 1],
      ['control', 1, 0],
    ])
    const source = {
      kind: 'InsightActorsQuery',
      source: { kind: 'TrendsQuery', series: [opened], breakdownFilter, dateRange: { date_from: '-1d' } },
      breakdown: 'blue',
    }
    const people = await ask({ kind: 'ActorsQuery', source, select: ['actor', 'matched_recordings'] })
    expect(people.results.length).toBe(2)
    for (const kind of ['RetentionQuery', 'LifecycleQuery', 'StickinessQuery', 'PathsQuery'])
      expect((await post('query/', { query: { kind, series: [opened], properties } })).status, kind).toBe(200)
    expect(
      (await service.api(`session_recordings/?properties=${encodeURIComponent(JSON.stringify(properties))}`)).status,
    ).toBe(200)
  })

  it('says when it was last called', async () => {
    await service.waitFor(async () => (await service.api(`${FLAGS}explained/`)).body.last_called_at !== null)
  })
})

describe('flags of an organisation', () => {
  it('are copied to other projects, with the cohorts they name', async () => {
    const filters = { properties: { type: 'OR', values: [{ type: 'person', key: 'plan', value: ['pro'] }] } }
    const cohort = (await post('cohorts/', { name: 'On the pro plan', filters })).body
    const { key } = await flag({
      filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: cohort.id, operator: 'in' }] }] },
    })
    const copy = { feature_flag_key: key, from_project: 1, target_project_ids: [2, 77] }
    const { body } = await post('/api/organizations/@current/feature_flags/copy_flags/', copy)
    expect(body.failed).toEqual([{ project_id: 77, error_message: 'Project not found.' }])
    const there = body.success[0].filters.groups[0].properties[0].value
    expect((await service.api(`/api/projects/2/cohorts/${there}/`)).body).toMatchObject({ name: 'On the pro plan' })
    const again = await post('/api/organizations/@current/feature_flags/copy_flags/', copy)
    expect(again.body.success[0]).toMatchObject({ id: body.success[0].id, version: 2 })
    expect(again.body.success[0].filters.groups[0].properties[0].value).toBe(there)
    const both = (await service.api(`/api/organizations/@current/feature_flags/${key}/`)).body
    expect(both.map(({ project_id }: { project_id: number }) => project_id)).toEqual([1, 2])
  })
})

describe('a scheduled change', () => {
  it('is made when its time has come, once, and noted as of whoever wanted it', async () => {
    const { id } = await flag({ filters: everybody(10) })
    const scheduled_at = new Date(Date.now() - 60_000).toISOString()
    const base = { record_id: id, model_name: 'FeatureFlag', scheduled_at }
    const value = { groups: [{ properties: [], rollout_percentage: 90 }] }
    const { status, body } = await post('scheduled_changes/', {
      ...base,
      payload: { operation: 'add_release_condition', value },
    })
    expect(status).toBe(201)
    await service.waitFor(async () => (await service.api(`scheduled_changes/${body.id}/`)).body.executed_at !== null)
    const { filters, version } = (await service.api(`${FLAGS}${id}/`)).body
    expect({
      percentages: filters.groups.map((each: { rollout_percentage: number }) => each.rollout_percentage),
      version,
    }).toEqual({
      percentages: [10, 90],
      version: 2,
    })
    expect((await service.api(`${FLAGS}${id}/activity/`)).body.results[0].user.email).toBe('owner@example.com')
    expect((await patch(`scheduled_changes/${body.id}/`, { scheduled_at })).status).toBe(400)
  })

  it('recurs, can be changed and taken back, and is refused when it could not be made', async () => {
    const { id } = await flag()
    const later = new Date(Date.now() + 86_400_000).toISOString()
    const base = { record_id: String(id), model_name: 'FeatureFlag', scheduled_at: later }
    const status = { operation: 'update_status', value: false }
    const created = (
      await post('scheduled_changes/', { ...base, payload: status, is_recurring: true, recurrence_interval: 'weekly' })
    ).body
    expect(created).toMatchObject({ is_recurring: true, recurrence_interval: 'weekly', executed_at: null })
    const due = new Date(Date.now() - 60_000)
    await patch(`scheduled_changes/${created.id}/`, { scheduled_at: due.toISOString() })
    const next = await service.waitFor(async () => {
      const { body } = await service.api(`scheduled_changes/${created.id}/`)
      return body.last_executed_at === null ? null : body
    })
    expect(next).toMatchObject({
      executed_at: null,
      scheduled_at: new Date(due.getTime() + 7 * 86_400_000).toISOString(),
    })
    expect(Object.keys(next)).toEqual(Object.keys(created))
    expect((await service.api(`${FLAGS}${id}/`)).body.active).toBe(false)
    expect((await service.api(`scheduled_changes/?record_id=${id}`)).body.count).toBe(1)
    expect((await service.api(`scheduled_changes/${created.id}/`, { method: 'DELETE' })).status).toBe(204)
    const refused = async (fields: object) =>
      (await post('scheduled_changes/', { ...base, payload: status, ...fields })).body.attr
    expect(await refused({ record_id: '999999' })).toBe('record_id')
    expect(await refused({ is_recurring: true })).toBe('recurrence_interval')
    expect(await refused({ payload: { operation: 'explode', value: 1 } })).toBe('payload__operation')
    expect(
      await refused({
        payload: { operation: 'update_variants', value: { variants: [{ key: 'a', rollout_percentage: 1 }] } },
      }),
    ).toBe('filters__multivariate__variants')
  })
})

describe('an experiment', () => {
  const people = (variant: string, count: number) => Array.from({ length: count }, (_, at) => `${variant}-${at}`)
  const started = new Date(Date.now() - 3_600_000).toISOString()
  const ask = (query: object) => post('query/', { query })
  let id = 0
  beforeAll(async () => {
    const called = (distinct_id: string, response: string, minutes: number) => ({
      event: '$feature_flag_called',
      distinct_id,
      properties: { $feature_flag: 'tried', $feature_flag_response: response },
      timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
    })
    const did = (distinct_id: string, event: string, minutes: number, properties = {}) => ({
      event,
      distinct_id,
      properties,
      timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
    })
    const [control, test] = [people('control', 40), people('test', 40)]
    await service.capture([
      ...control.map((who) => called(who, 'control', 30)),
      ...test.map((who) => called(who, 'test', 30)),
      // Before the exposure, and before the first step: neither counts.
      did('control-39', 'began', 40),
      did('control-38', 'ended', 25),
      ...[...control.slice(0, 20), ...test.slice(0, 30)].map((who) => did(who, 'began', 20, { worth: 2 })),
      ...[...control.slice(0, 10), ...test.slice(0, 25)].map((who) => did(who, 'ended', 10)),
      called('both', 'control', 30),
      called('both', 'test', 29),
      did('both', 'began', 20),
      // Before the start of the experiment.
      called('early', 'test', 120),
    ])
    const fields = {
      name: 'Tried',
      feature_flag_key: 'tried',
      metrics: [{ kind: 'ExperimentMetric', metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'began' }] }],
    }
    const { status, body, text } = await post('experiments/', fields)
    expect(status, text).toBe(201)
    id = body.id
  })
  const funnel = {
    kind: 'ExperimentMetric',
    metric_type: 'funnel',
    series: ['began', 'ended'].map((event) => ({ kind: 'EventsNode', event })),
  }

  it('is made with a flag of two variants, and asks how many people it needs', async () => {
    const { body } = await service.api(`experiments/${id}/`)
    expect(body).toMatchObject({ start_date: null, feature_flag_key: 'tried' })
    expect(body.feature_flag.filters.multivariate.variants.map(({ key }: { key: string }) => key)).toEqual([
      'control',
      'test',
    ])
    expect((await service.api(`${FLAGS}tried/`)).body.experiment_set).toEqual([id])
    expect((await ask({ kind: 'ExperimentQuery', experiment_id: id, metric: funnel })).body.detail).toContain(
      'has not been started',
    )
    const parameters = { minimum_detectable_effect: 20, baseline_conversion_rate: 0.25 }
    const changed = await patch(`experiments/${id}/`, { start_date: started, parameters })
    expect(changed.body.parameters.recommended_sample_size).toBeGreaterThan(1_000)
    expect((await service.api('experiments/?status=running')).body.count).toBe(1)
    expect((await service.api(`experiments/${id}/`, { method: 'DELETE' })).status).toBe(405)
    expect((await patch(`experiments/${id}/`, { end_date: '2020-01-01T00:00:00Z' })).status).toBe(400)
  })

  it('compares its variants, without people of several and with what to beware of', async () => {
    const query = { kind: 'ExperimentQuery', experiment_id: id, metric: funnel }
    const body = await service.waitFor(async () => {
      const answer = await ask(query)
      expect(answer.status, answer.text).toBe(200)
      const { baseline, variant_results } = answer.body
      return baseline.sum === 10 && variant_results[0].sum === 25 ? answer.body : null
    })
    expect(body.baseline).toMatchObject({ key: 'control', number_of_samples: 40, mean: 0.25, step_counts: [20, 10] })
    expect(body.variant_results).toMatchObject([
      { key: 'test', number_of_samples: 40, mean: 0.625, step_counts: [30, 25], significant: true },
    ])
    const [test] = body.variant_results
    expect(test.chance_to_win).toBeGreaterThan(0.99)
    expect(test.credible_interval[0]).toBeGreaterThan(0.3)
    expect(test.p_value).toBeLessThan(0.01)
    expect(body).toMatchObject({
      excluded_multiple: 1,
      method: 'bayesian',
      sample_ratio: { p_value: 1, mismatch: false },
    })
    expect(body.warnings).toEqual([
      expect.stringContaining('Peeking: the smallest variant has 40 of'),
      '1 person met several variants and is left out.',
    ])
    const sums = { kind: 'EventsNode', event: 'began', math: 'sum', math_property: 'worth' }
    const mean = await ask({ ...query, metric: { metric_type: 'mean', source: sums } })
    expect(mean.body.baseline).toMatchObject({ sum: 40, mean: 1, step_counts: null })
    expect(mean.body.variant_results[0]).toMatchObject({ sum: 60, mean: 1.5 })
    // A saved trend and a saved funnel are goals too.
    const trend = await ask({
      ...query,
      metric: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'ended' }] },
    })
    expect(trend.body).toMatchObject({ metric_type: 'mean', baseline: { sum: 11 } })
    expect((await ask({ ...query, metric: { metric_type: 'funnel' } })).body.detail).toContain('needs "series"')
    expect((await ask({ ...query, experiment_id: 999 })).status).toBe(400)
  })

  it('counts who met which variant, and people of several by their first if so wanted', async () => {
    const query = { kind: 'ExperimentExposureQuery', experiment_id: id }
    const { body, text } = await ask(query)
    expect(body.total_exposures, text).toEqual({ control: 40, test: 40, $multiple: 1 })
    await patch(`experiments/${id}/`, { exposure_criteria: { multiple_variant_handling: 'first_seen' } })
    expect((await ask(query)).body.total_exposures).toEqual({ control: 41, test: 40 })
  })
})

describe('early access features', () => {
  const post = (body: object) => service.api('early_access_feature/', { body })

  it('are a flag that people may turn on for themselves, while the stage is open', async () => {
    const { status, body, text } = await post({ name: 'Night mode!', stage: 'draft', payload: { icon: 'moon' } })
    expect(status, text).toBe(201)
    expect(body).toMatchObject({
      name: 'Night mode!',
      stage: 'draft',
      documentation_url: '',
      payload: { icon: 'moon' },
    })
    expect(body.feature_flag.key).toBe('night-mode')
    expect(body.feature_flag.filters.feature_enrollment ?? false).toBe(false)
    const at = `early_access_feature/${body.id}/`
    const opened = await service.api(at, { method: 'PATCH', body: { stage: 'beta' } })
    expect(opened.body).toMatchObject({ stage: 'beta', feature_flag: { filters: { feature_enrollment: true } } })
    expect((await service.api('early_access_feature/')).body).toMatchObject({ count: 1, results: [{ id: body.id }] })
    const closed = await service.api(at, { method: 'PATCH', body: { stage: 'general-availability' } })
    expect(closed.body.feature_flag.filters.feature_enrollment).toBe(false)
    expect((await service.api(at, { method: 'DELETE' })).status).toBe(204)
    expect((await service.api(at)).status).toBe(404)
    expect((await service.api('feature_flags/night-mode/')).status).toBe(200)
  })

  it('say what is wrong, and where', async () => {
    expect((await post({ name: 'x', stage: 'gamma' })).body).toMatchObject({ attr: 'stage' })
    expect((await post({ stage: 'beta' })).body).toMatchObject({ code: 'required', attr: 'name' })
    expect((await post({ name: 'x', feature_flag_id: 999_999 })).body).toMatchObject({ attr: 'feature_flag_id' })
    const { id } = (await service.api('feature_flags/night-mode/')).body
    expect((await post({ name: 'Again', feature_flag_id: id })).status).toBe(201)
    expect((await post({ name: 'Twice', feature_flag_id: id })).body).toMatchObject({
      attr: 'feature_flag_id',
      detail: expect.stringContaining('Again'),
    })
  })
})
