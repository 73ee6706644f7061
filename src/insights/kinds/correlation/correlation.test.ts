import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid, type SeedEvent, seedGroups, seedPersons } from '../../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../../test/support/insights/test-engine.ts'
import type { ActorsSource } from '../../../contract/queries/index.ts'
import type { Correlation } from '../../../contract/results/index.ts'
import { correlationActorsOfLegacyFilter, correlationOfLegacyFilter } from '../../parse/legacy-correlation.ts'
import { readQuery } from '../../parse/read-query.ts'
import { runActors } from '../../run/actors.ts'
import { runInsight } from '../../run/insight.ts'
import { csvRowsOf } from '../../wire/csv.ts'
import { correlationOnWire } from './wire.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2020-02-01T00:00:00Z'
const FUNNEL = {
  events: [{ id: 'user signed up' }, { id: 'paid', order: 1 }],
  date_from: '2020-01-01',
  date_to: '2020-01-14',
}
const did = (user: string, event: string, day: number, more: Partial<SeedEvent> = {}): SeedEvent => ({
  event,
  distinctId: user,
  at: `2020-01-0${day}T14:00:00Z`,
  ...more,
})

async function answer(project: TestProject, filter: object, now = NOW) {
  return runInsight(project.context(now), readQuery(correlationOfLegacyFilter(filter)))
}
async function correlate(project: TestProject, filter: object, now = NOW) {
  return correlationOnWire(resultOf(await answer(project, filter, now), 'FunnelCorrelationQuery'))
}
const brief = (events: readonly Correlation[]) =>
  events.map((each) => [
    each.event.event,
    each.success_count,
    each.failure_count,
    each.odds_ratio,
    each.correlation_type,
  ])
const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `user ${from + i}`)

async function who(project: TestProject, filter: object): Promise<string[]> {
  const source = readQuery(correlationActorsOfLegacyFilter(filter)) as ActorsSource
  const { actors } = await runActors(project.context(NOW), source, { limit: 100, offset: 0 })
  return actors.map(({ id }) => id).toSorted()
}

describe('events', () => {
  async function seeded() {
    const project = engine.project()
    await project.seed([
      ...users(0, 2).flatMap((user) => [
        did(user, 'user signed up', 2),
        did(user, 'positive', 3),
        did(user, 'paid', 4),
      ]),
      ...users(2, 4).map((user) => did(user, 'user signed up', 2)),
      did('user 2', 'negatively_related', 3),
    ])
    return project
  }

  test('go with success or with failure, by their odds', async () => {
    const project = await seeded()
    const { events, skewed } = await correlate(project, FUNNEL)
    expect(skewed).toBe(false)
    expect(brief(events)).toEqual([
      ['positive', 2, 0, 9, 'success'],
      ['negatively_related', 0, 1, 1 / 3, 'failure'],
    ])
    const excluding = { ...FUNNEL, funnel_correlation_exclude_event_names: '["positive"]' }
    expect(brief((await correlate(project, excluding)).events)).toEqual([
      ['negatively_related', 0, 1, 1 / 3, 'failure'],
    ])
    expect(csvRowsOf((await answer(project, FUNNEL)).result)).toEqual([
      ['event', 'success_count', 'failure_count', 'odds_ratio', 'correlation_type'],
      ['positive', 2, 0, 9, 'success'],
      ['negatively_related', 0, 1, 1 / 3, 'failure'],
    ])
  })

  test('lead to those who did them', async () => {
    const project = await seeded()
    const of = (event: string, converted: boolean) =>
      who(project, {
        ...FUNNEL,
        funnel_correlation_person_entity: JSON.stringify({ id: event, type: 'events' }),
        funnel_correlation_person_converted: String(converted),
      })
    expect(await of('positive', true)).toEqual(users(0, 2).map(personUuid).toSorted())
    expect(await of('positive', false)).toEqual([])
    expect(await of('negatively_related', false)).toEqual([personUuid('user 2')])
  })

  test('count between the first step and the last, or the end of the window', async () => {
    const project = engine.project()
    await project.seed([
      { ...did('p1', 'user signed up', 1), at: '2020-01-01T00:00:00Z' },
      { ...did('p1', 'watched video', 2), at: '2020-01-02T00:00:00Z' },
      { ...did('p2', 'user signed up', 1), at: '2020-01-01T00:00:00Z' },
      { ...did('p2', 'watched video', 2), at: '2020-01-02T00:00:00Z' },
      { ...did('p2', 'view insights', 3), at: '2020-01-03T00:00:00Z' },
      { ...did('p2', 'afterwards', 3), at: '2020-01-04T00:00:00Z' },
      { ...did('p3', 'before', 1), at: '2019-12-31T00:00:00Z' },
      { ...did('p3', 'user signed up', 1), at: '2020-01-01T00:00:00Z' },
      { ...did('p3', 'view insights', 3), at: '2020-01-01T00:00:00Z' },
    ])
    const filter = { events: [{ id: 'user signed up' }, { id: 'view insights', order: 1 }], date_to: '2020-04-04' }
    expect(await correlate(project, filter, '2020-01-01T00:00:00Z')).toEqual({
      events: [
        {
          event: { event: 'watched video', elements: [], properties: {} },
          success_count: 1,
          failure_count: 1,
          odds_ratio: 0.5,
          correlation_type: 'failure',
        },
      ],
      skewed: false,
    })
  })

  test('may have no name', async () => {
    const project = engine.project()
    const at = (user: string, event: string, day: string) => ({ ...did(user, event, 1), at: `${day}T00:00:00Z` })
    await project.seed([
      at('p1', 'signup', '2020-01-01'),
      at('p1', 'some waypoint', '2020-01-02'),
      at('p1', '', '2020-01-03'),
      at('p2', 'signup', '2020-01-01'),
      at('p2', 'some waypoint', '2020-01-02'),
      at('p2', 'view insights', '2020-01-03'),
    ])
    const events = ['signup', 'some waypoint', 'view insights'].map((id, order) => ({ id, order }))
    const { events: found } = await correlate(project, { events, date_from: '2020-01-01', date_to: '2020-01-14' })
    expect(brief(found)).toEqual([['', 0, 1, 0.25, 'failure']])
  })

  test('nobody on one side leaves nothing to compare; no steps are no question', async () => {
    const project = engine.project()
    await project.seed(
      users(0, 3).flatMap((user) => [did(user, 'user signed up', 2), did(user, 'x', 3), did(user, 'paid', 4)]),
    )
    expect(await correlate(project, FUNNEL)).toEqual({ events: [], skewed: true })
    expect(await correlate(project, { ...FUNNEL, events: [] })).toEqual({ events: [], skewed: false })
  })

  test('are left out when too few did them, and a lopsided funnel is called skewed', async () => {
    const project = engine.project()
    await project.seed([
      ...users(0, 110).map((user) => did(user, 'user signed up', 2)),
      ...users(0, 3).map((user) => did(user, 'often', 3)),
      ...users(3, 5).map((user) => did(user, 'rare', 3)),
      ...users(100, 110).map((user) => did(user, 'paid', 4)),
    ])
    const { events, skewed } = await correlate(project, FUNNEL)
    expect(events.map(({ event }) => event.event)).toEqual(['often'])
    expect(skewed).toBe(false)
    await project.seed(users(110, 120).map((user) => did(user, 'user signed up', 2)))
    expect((await correlate(project, FUNNEL)).skewed).toBe(true)
  })

  test('show the ten strongest of each side', async () => {
    const project = engine.project()
    const events = Array.from({ length: 12 }, (_, i) => i)
    await project.seed([
      ...users(0, 13).flatMap((user) => [did(user, 'user signed up', 2), did(user, 'paid', 4)]),
      ...users(13, 26).map((user) => did(user, 'user signed up', 2)),
      ...events.flatMap((i) => users(0, i + 1).map((user) => did(user, `good ${i}`, 3))),
      ...events.flatMap((i) => users(13, 13 + i + 1).map((user) => did(user, `bad ${i}`, 3))),
    ])
    const { events: found } = await correlate(project, FUNNEL)
    const [good, bad] = [found.slice(0, 10), found.slice(10)]
    expect(good.map(({ event }) => event.event)).toEqual(Array.from({ length: 10 }, (_, i) => `good ${11 - i}`))
    expect(bad.map(({ event }) => event.event)).toEqual(Array.from({ length: 10 }, (_, i) => `bad ${11 - i}`))
  })
})

describe('events with properties', () => {
  const BY_PROPERTY = { ...FUNNEL, funnel_correlation_type: 'event_with_properties' }
  test('correlate by event, property and value', async () => {
    const project = engine.project()
    const blue = { properties: { 'signup.source': 'facebook', hue: 'blue' } }
    const red = { properties: { 'signup.source': 'email' } }
    await project.seed([
      ...users(0, 3).flatMap((user) => [
        did(user, 'user signed up', 2),
        did(user, 'positive', 3, blue),
        did(user, 'paid', 4),
      ]),
      ...users(3, 6).flatMap((user) => [did(user, 'user signed up', 2), did(user, 'negative', 3, red)]),
    ])
    const named = { ...BY_PROPERTY, funnel_correlation_event_names: ['positive', 'negative'] }
    const { events } = await correlate(project, named)
    expect(brief(events)).toEqual([
      ['positive::hue::blue', 3, 0, 16, 'success'],
      ['positive::signup.source::facebook', 3, 0, 16, 'success'],
      ['negative::signup.source::email', 0, 3, 1 / 16, 'failure'],
    ])
    const without = { ...named, funnel_correlation_event_exclude_property_names: ['signup.source'] }
    expect((await correlate(project, without)).events.map(({ event }) => event.event)).toEqual(['positive::hue::blue'])
    const entity = { id: 'positive', properties: [{ key: 'signup.source', value: 'facebook', operator: 'exact' }] }
    expect(
      await who(project, {
        ...named,
        funnel_correlation_person_entity: entity,
        funnel_correlation_person_converted: true,
      }),
    ).toEqual(users(0, 3).map(personUuid).toSorted())
    await expect(correlate(project, BY_PROPERTY)).rejects.toMatchObject({ name: 'InvalidQuery' })
  })

  test('show the elements that were clicked', async () => {
    const project = engine.project()
    const click = {
      elementsChain: 'a.small:href="/m"nth-child="1"text="bla; bla";div:',
      properties: { $event_type: 'click' },
    }
    await project.seed([
      ...users(0, 3).flatMap((user) => [
        did(user, 'user signed up', 2),
        did(user, '$autocapture', 3, click),
        did(user, 'paid', 4),
      ]),
      ...users(3, 6).map((user) => did(user, 'user signed up', 2)),
    ])
    const filter = { ...BY_PROPERTY, funnel_correlation_event_names: ['$autocapture'] }
    const [found] = (await correlate(project, filter)).events
    expect(found?.event.event).toBe(`$autocapture::elements_chain::click__~~__${click.elementsChain}`)
    expect(found?.event.properties).toEqual({ $event_type: 'click' })
    expect(found?.event.elements).toMatchObject([
      { tag_name: 'a', attr_class: ['small'], href: '/m', text: 'bla; bla', nth_child: 1, order: 0 },
      { tag_name: 'div', order: 1 },
    ])
    const value = `click__~~__${click.elementsChain}`
    const entity = { id: '$autocapture', properties: [{ key: 'elements_chain', value }] }
    const asked = { ...filter, funnel_correlation_person_entity: entity, funnel_correlation_person_converted: true }
    expect(await who(project, asked)).toHaveLength(3)
  })
})

describe('properties', () => {
  async function seeded() {
    const project = engine.project()
    const [good, bad] = [users(0, 10), users(10, 20)]
    const everybody = [...good, ...bad, 'user 20', 'user 21']
    const paid = [...good, 'user 21']
    await project.seed([
      ...everybody.map((user) => did(user, 'user signed up', 2)),
      ...paid.map((user) => did(user, 'paid', 4)),
    ])
    await seedPersons(project.clickhouse, project.id, [
      ...[...good, 'user 20'].map((name) => ({ name, properties: { $browser: 'Positive' } })),
      ...[...bad, 'user 21'].map((name) => ({ name, properties: { $browser: 'Negative' } })),
    ])
    return project
  }
  const BY_BROWSER = { ...FUNNEL, funnel_correlation_type: 'properties', funnel_correlation_names: ['$browser'] }

  test('correlate as they are today', async () => {
    const project = await seeded()
    const wanted = [
      ['$browser::Positive', 10, 1, 30.25, 'success'],
      ['$browser::Negative', 1, 10, 4 / 121, 'failure'],
    ]
    expect(brief((await correlate(project, BY_BROWSER)).events)).toEqual(wanted)
    expect(brief((await correlate(project, { ...BY_BROWSER, funnel_correlation_names: '["$all"]' })).events)).toEqual(
      wanted,
    )
    const without = {
      ...BY_BROWSER,
      funnel_correlation_names: ['$all'],
      funnel_correlation_exclude_names: ['$browser'],
    }
    expect((await correlate(project, without)).events).toEqual([])
    await expect(correlate(project, { ...BY_BROWSER, funnel_correlation_names: [] })).rejects.toMatchObject({
      name: 'InvalidQuery',
    })
  })

  test('that are missing count as empty when they were asked for by name', async () => {
    const project = await seeded()
    await project.seed(users(30, 36).map((user) => did(user, 'user signed up', 2)))
    const found = brief((await correlate(project, BY_BROWSER)).events).map(([name, s, f]) => [name, s, f])
    expect(found).toEqual([
      ['$browser::Positive', 10, 1],
      ['$browser::Negative', 1, 10],
      ['$browser::', 0, 6],
    ])
    const of = (value: string) =>
      who(project, {
        ...BY_BROWSER,
        funnel_correlation_property_values: [{ key: '$browser', value, operator: 'exact', type: 'person' }],
        funnel_correlation_person_converted: 'false',
      })
    expect(await of('Positive')).toEqual([personUuid('user 20')])
    expect(await of('')).toEqual(users(30, 36).map(personUuid).toSorted())
  })

  test('of the groups somebody belongs to correlate for persons', async () => {
    const project = engine.project()
    const of = (key: string) => ({ groups: { 0: key } })
    await project.seed([
      ...users(0, 4).map((user) => did(user, 'user signed up', 2, of('bank'))),
      ...users(0, 4).map((user) => did(user, 'paid', 4, of('shop'))),
      ...users(4, 7).map((user) => did(user, 'user signed up', 2, of('shop'))),
      ...users(7, 9).map((user) => did(user, 'user signed up', 2)),
    ])
    await seedGroups(project.clickhouse, project.id, [
      { index: 0, key: 'bank', properties: { industry: 'finance' } },
      { index: 0, key: 'shop', properties: { industry: 'retail', 'size.of': 'small' } },
    ])
    const asked = { ...FUNNEL, funnel_correlation_type: 'properties' }
    const found = async (...funnel_correlation_names: string[]) =>
      brief((await correlate(project, { ...asked, funnel_correlation_names })).events)
        .map(([name, success, failure]) => [name, success, failure])
        .toSorted()
    expect(await found('$group_0.industry')).toEqual([
      ['$group_0.industry::', 0, 2],
      ['$group_0.industry::finance', 4, 0],
      ['$group_0.industry::retail', 4, 3],
    ])
    expect(await found('$group_0.size.of', '$group_1.nothing', 'plan')).toEqual([
      ['$group_0.size.of::', 0, 2],
      ['$group_0.size.of::small', 4, 3],
      ['$group_1.nothing::', 4, 5],
      ['plan::', 4, 5],
    ])
    const having = (property: object) =>
      who(project, {
        ...asked,
        funnel_correlation_names: ['$group_0.industry'],
        funnel_correlation_property_values: [{ operator: 'exact', ...property }],
        funnel_correlation_person_converted: 'false',
      })
    const retail = users(4, 7).map(personUuid).toSorted()
    expect(await having({ key: '$group_0.industry', value: 'retail', type: 'person' })).toEqual(retail)
    expect(await having({ key: 'industry', value: 'retail', type: 'group', group_type_index: 0 })).toEqual(retail)
    const none = users(7, 9).map(personUuid).toSorted()
    expect(await having({ key: '$group_0.industry', value: '', type: 'person' })).toEqual(none)
  })

  test('of groups correlate for groups', async () => {
    const project = engine.project()
    const of = (key: string) => ({ groups: { 0: key } })
    await project.seed([
      ...['g1', 'g2', 'g3', 'g4'].map((key) => did('u', 'user signed up', 2, of(key))),
      did('u', 'helpful', 3, of('g1')),
      did('u', 'helpful', 3),
      ...['g1', 'g2'].map((key) => did('u', 'paid', 4, of(key))),
    ])
    await seedGroups(project.clickhouse, project.id, [
      { index: 0, key: 'g1', properties: { industry: 'finance' } },
      { index: 0, key: 'g2', properties: { industry: 'finance' } },
      { index: 0, key: 'g3', properties: { industry: 'technology' } },
      { index: 0, key: 'g4', properties: { industry: 'technology' } },
    ])
    const grouped = { ...FUNNEL, aggregation_group_type_index: 0 }
    expect(brief((await correlate(project, grouped)).events)).toEqual([['helpful', 1, 0, 3, 'success']])
    const industries = { ...grouped, funnel_correlation_type: 'properties', funnel_correlation_names: ['industry'] }
    expect(brief((await correlate(project, industries)).events)).toEqual([
      ['industry::finance', 2, 0, 9, 'success'],
      ['industry::technology', 0, 2, 1 / 9, 'failure'],
    ])
  })
})
