import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedGroups } from '../../../test/support/insights/seed.ts'
import {
  asTrends,
  openTestEngine,
  type TestEngine,
  type TestProject,
} from '../../../test/support/insights/test-engine.ts'
import type { JsonObject } from '../../lib/json.ts'
import { trendsOnWire } from '../kinds/trends/wire.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2020-01-04T13:00:00Z'

/** How many of the events pass. */
async function count(
  project: TestProject,
  properties: unknown,
  more: Parameters<TestProject['context']>[1] = {},
  filter = {},
) {
  const answer = await project.legacy(NOW, { events: [{ id: 'e' }], properties, ...filter }, more)
  return trendsOnWire(asTrends(answer.result))[0]?.count
}

const ofValues = (values: readonly JsonObject[]) =>
  values.map((properties) => ({ event: 'e', distinctId: 'a', at: NOW, properties }))

describe('operators', () => {
  let project: TestProject
  beforeAll(async () => {
    project = engine.project()
    await project.seed(
      ofValues([
        { p: 'Safari', n: 1, d: '2020-01-02', ok: true },
        { p: 'safari 2', n: '2.5', d: '2020-01-02T10:00:00Z', ok: 'true' },
        { p: 'Chrome', n: 10, d: 1577923200, ok: false },
        { p: '100%', n: 'many', d: 'not a date' },
        { p: null },
        {},
      ]),
    )
  })

  test.each([
    ['exact', 'Safari', 1],
    ['exact', ['Safari', 'Chrome'], 2],
    ['is_not', 'Safari', 5],
    ['is_not', ['Safari', 'Chrome'], 4],
    ['icontains', 'SAFARI', 2],
    ['icontains', '%', 1],
    ['not_icontains', 'SAFARI', 4],
    ['regex', '^S.*i$', 1],
    ['not_regex', '^S.*i$', 5],
    ['starts_with', 'Saf', 1],
    ['not_starts_with', 'Saf', 5],
    ['ends_with', 'e', 1],
    ['is_set', null, 4],
    ['is_not_set', null, 2],
  ])('p %s %o', async (operator, value, expected) => {
    expect(await count(project, [{ key: 'p', operator, value }])).toBe(expected)
  })

  test.each([
    ['gt', 1, 2],
    ['gte', 1, 3],
    ['lt', '2.5', 1],
    ['lte', 2.5, 2],
    ['between', [2, 10], 2],
    ['not_between', [2, 10], 4],
    ['exact', 10, 1],
  ])('n %s %o', async (operator, value, expected) => {
    expect(await count(project, [{ key: 'n', operator, value }])).toBe(expected)
  })

  test.each([
    ['is_date_exact', '2020-01-02', 3],
    ['is_date_exact', '2020-01-02T10:00:00', 1],
    ['is_date_before', '2020-01-02T05:00:00', 2],
    ['is_date_after', '2020-01-01', 3],
    ['is_date_after', '2020-01-02', 0],
    ['is_date_after', '-3d', 3],
  ])('d %s %o', async (operator, value, expected) => {
    expect(await count(project, [{ key: 'd', operator, value }])).toBe(expected)
  })

  test('a boolean is its text', async () => {
    expect(await count(project, [{ key: 'ok', value: true }])).toBe(2)
    expect(await count(project, [{ key: 'ok', value: ['false'] }])).toBe(1)
  })

  test('a number that is none is refused', async () => {
    await expect(count(project, [{ key: 'n', operator: 'gt', value: 'much' }])).rejects.toThrow('compares numbers')
  })

  test.each(['regex', 'not_regex'])(
    '%s of a pattern that does not compile is refused with its place',
    async (operator) => {
      const properties = [
        { key: 'ok', value: true },
        { key: 'p', operator, value: ['^S', '(unclosed'] },
      ]
      await expect(count(project, properties)).rejects.toMatchObject({
        name: 'InvalidQuery',
        path: ['properties', 1, 'value'],
        message: expect.stringContaining('"(unclosed" for "p" is not a regular expression'),
      })
      const nested = { type: 'OR', values: [{ type: 'AND', values: properties }] }
      await expect(count(project, nested)).rejects.toMatchObject({
        path: ['properties', 'values', 0, 'values', 1, 'value'],
      })
      const ofSeries = { events: [{ id: 'e' }, { id: 'e', properties: [{ key: 'p', operator, value: '(' }] }] }
      await expect(count(project, [], {}, ofSeries)).rejects.toMatchObject({
        path: ['series', '1', 'properties', 0, 'value'],
      })
    },
  )

  test('AND and OR nest', async () => {
    const properties = {
      type: 'OR',
      values: [
        {
          type: 'AND',
          values: [
            { key: 'p', value: 'Safari' },
            { key: 'n', value: 2 },
          ],
        },
        {
          type: 'AND',
          values: [
            { key: 'n', operator: 'gt', value: 2 },
            {
              type: 'OR',
              values: [
                { key: 'ok', value: false },
                { key: 'ok', value: 'true' },
              ],
            },
          ],
        },
      ],
    }
    expect(await count(project, properties)).toBe(2)
  })
})

describe('versions', () => {
  let project: TestProject
  beforeAll(async () => {
    project = engine.project()
    const versions = ['0.0.3', '0.2.3', '0.2.9', '1.2.3', ' v1.2.10-beta.1', '1.10.0', '2.0.0', '1.2', '01.2.3', 'new']
    await project.seed([...ofValues(versions.map((v) => ({ v }))), ...ofValues([{ v: 1 }, {}])])
  })

  test.each([
    ['semver_eq', '1.2.3', ['1.2.3']],
    ['semver_eq', 'v1.2.10', [' v1.2.10-beta.1']],
    ['semver_neq', '1.2.3', ['0.0.3', '0.2.3', '0.2.9', ' v1.2.10-beta.1', '1.10.0', '2.0.0']],
    ['semver_gt', '1.2.3', [' v1.2.10-beta.1', '1.10.0', '2.0.0']],
    ['semver_gte', '1.2.3', ['1.2.3', ' v1.2.10-beta.1', '1.10.0', '2.0.0']],
    ['semver_lt', '1.2', ['0.0.3', '0.2.3', '0.2.9']],
    ['semver_lte', '0.2.3', ['0.0.3', '0.2.3']],
    ['semver_tilde', '1.2.3', ['1.2.3', ' v1.2.10-beta.1']],
    ['semver_tilde', '~1', ['1.2.3', ' v1.2.10-beta.1', '1.10.0']],
    ['semver_caret', '1.2.3', ['1.2.3', ' v1.2.10-beta.1', '1.10.0']],
    ['semver_caret', '^0.2.3', ['0.2.3', '0.2.9']],
    ['semver_caret', '0.0.3', ['0.0.3']],
    ['semver_wildcard', '1.2.*', ['1.2.3', ' v1.2.10-beta.1']],
    ['semver_wildcard', '0.*', ['0.0.3', '0.2.3', '0.2.9']],
    ['semver_wildcard', '*', ['0.0.3', '0.2.3', '0.2.9', '1.2.3', ' v1.2.10-beta.1', '1.10.0', '2.0.0']],
    ['semver_eq', ['0.0.3', '2.0.0'], ['0.0.3', '2.0.0']],
  ])('v %s %o', async (operator, value, expected) => {
    const filter = { events: [{ id: 'e' }], properties: [{ key: 'v', operator, value }], breakdown: 'v' }
    const { series } = asTrends((await project.legacy(NOW, filter)).result)
    expect(series.flatMap(({ labels }) => labels).toSorted()).toEqual(expected.toSorted())
  })

  test('something else is refused', async () => {
    for (const value of ['new', '1.2.3.4', '1.*']) {
      await expect(count(project, [{ key: 'v', operator: 'semver_gt', value }])).rejects.toThrow('compares versions')
    }
  })
})

describe('kinds of properties', () => {
  test('person, group, session, feature and the event itself', async () => {
    const project = engine.project()
    await seedGroups(project.clickhouse, project.id, [{ index: 1, key: 'acme', properties: { size: 20 } }])
    const event = { event: 'e', distinctId: 'a', at: NOW }
    await project.seed([
      { ...event, personProperties: { email: 'a@internal.com' }, sessionId: 's1' },
      { ...event, at: '2020-01-04T12:00:00Z', sessionId: 's1', properties: { '$feature/new.flow': 'test' } },
      { ...event, distinctId: 'b', groups: { 1: 'acme' } },
    ])
    expect(await count(project, [{ key: 'email', type: 'person', operator: 'icontains', value: 'internal' }])).toBe(1)
    expect(await count(project, [{ key: 'size', type: 'group', group_type_index: 1, operator: 'gt', value: 10 }])).toBe(
      1,
    )
    expect(await count(project, [{ key: '$session_duration', type: 'session', operator: 'gte', value: 3600 }])).toBe(2)
    expect(await count(project, [{ key: '$feature/new.flow', type: 'feature', value: 'test' }])).toBe(1)
    expect(await count(project, [{ key: 'distinct_id', type: 'event_metadata', value: 'b' }])).toBe(1)
  })

  test("the project's test accounts are left out when asked", async () => {
    const project = engine.project()
    const event = { event: 'e', distinctId: 'a', at: NOW }
    await project.seed([{ ...event, personProperties: { email: 'a@internal.com' } }, event])
    const more = {
      test_account_filters: [{ key: 'email', type: 'person', operator: 'not_icontains', value: '@internal.com' }],
    }
    expect(await count(project, [], more)).toBe(2)
    expect(await count(project, [], more, { filter_test_accounts: 'true' })).toBe(1)
  })

  test('elements of the chain', async () => {
    const project = engine.project()
    const chain =
      'button.big.primary:attr__class="big primary"attr__id="buy"attr_id="buy"nth-child="2"nth-of-type="1"text="Buy \\"now\\"";' +
      'a.link:attr__href="/pay"href="/pay"nth-child="1"nth-of-type="1";div:nth-child="3"nth-of-type="1"'
    await project.seed([
      { event: 'e', distinctId: 'a', at: NOW, elementsChain: chain },
      { event: 'e', distinctId: 'a', at: NOW, elementsChain: 'span:nth-child="1"nth-of-type="1"text="Other"' },
    ])
    const element = (key: string, value: string, operator = 'exact') =>
      count(project, [{ type: 'element', key, value, operator }])
    expect(await element('tag_name', 'a')).toBe(1)
    expect(await element('tag_name', 'a', 'is_not')).toBe(1)
    expect(await element('text', 'Other')).toBe(1)
    expect(await element('text', 'buy', 'icontains')).toBe(1)
    expect(await element('href', '/pay')).toBe(1)
    expect(await element('selector', 'div > a > button.primary')).toBe(1)
    expect(await element('selector', 'div button')).toBe(1)
    expect(await element('selector', '#buy')).toBe(1)
    expect(await element('selector', 'a[href="/pay"]')).toBe(1)
    expect(await element('selector', 'div > button')).toBe(0)
    expect(await element('selector', 'span.primary')).toBe(0)
  })
})

test('sampling keeps whole actors and scales their counts', async () => {
  const project = engine.project()
  await project.seed(
    Array.from({ length: 400 }, (_, index) => ({ event: 'e', distinctId: `u${index % 100}`, at: NOW })),
  )
  const answer = await project.legacy(NOW, { events: [{ id: 'e' }, { id: 'e', math: 'dau' }], sampling_factor: 0.5 })
  const [total, unique] = trendsOnWire(asTrends(answer.result))
  expect(total?.count).toBe(4 * (unique?.count ?? 0))
  expect(unique?.count).toBeGreaterThan(50)
  expect(unique?.count).toBeLessThan(150)
})
