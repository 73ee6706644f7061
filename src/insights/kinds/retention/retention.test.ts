/** What retention can be asked besides days of the calendar, and who stands behind its cells. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid } from '../../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../../test/support/insights/test-engine.ts'
import { readQuery } from '../../parse/read-query.ts'
import { runActors } from '../../run/actors.ts'
import { csvRowsOf } from '../../wire/csv.ts'
import { linkedRetentionOnWire, retentionOnWire } from './wire.ts'

const NOW = '2024-03-04T23:00:00Z'
let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const did = (person: string, time: string, plan: string | null = null) => ({
  event: 'visit',
  distinctId: person,
  at: `2024-03-${time}:00Z`,
  properties: { plan },
})
const visit = { id: 'visit', type: 'events' }
const node = (retentionFilter: object = {}, more: object = {}) => ({
  kind: 'RetentionQuery',
  retentionFilter: { totalIntervals: 4, targetEntity: visit, returningEntity: visit, ...retentionFilter },
  ...more,
})
const table = async (project: TestProject, asked: object) =>
  resultOf(await project.query(NOW, asked), 'RetentionQuery').groups.map(({ labels, rows }) => [labels?.[0], rows])
const who = async (project: TestProject, query: object) =>
  (
    await runActors(project.context(NOW), readQuery({ kind: 'InsightActorsQuery', ...query }) as never, {
      limit: 10,
      offset: 0,
    })
  ).actors.map(({ id }) => id)
const ids = (...names: string[]) => names.map(personUuid).toSorted()

describe('brackets', () => {
  test('put several intervals into one cell, in which everybody counts once', async () => {
    const project = engine.project()
    await project.seed([
      did('a', '01T10:00'),
      did('a', '02T10:00'),
      did('a', '03T10:00'),
      did('a', '04T10:00'),
      did('b', '01T11:00'),
      did('b', '04T11:00'),
      did('c', '02T11:00'),
    ])
    const bracketed = node({ retentionCustomBrackets: [1, 2], totalIntervals: 4 })
    expect(await table(project, bracketed)).toEqual([[undefined, [[2, 1, 2], [2, 1, 1], [1, 1], [2]]]])
    const answer = await project.query(NOW, bracketed)
    const [first] = retentionOnWire(resultOf(answer, 'RetentionQuery'))
    expect(first?.values).toMatchObject([{ label: 'Day 0' }, { label: 'Day 1' }, { label: 'Day 2-3' }])
    expect(csvRowsOf(answer.result)[0]).toEqual(['cohort', 'size', 'Day 0', 'Day 1', 'Day 2-3'])
    expect((await who(project, { source: bracketed, interval: 0, day: 2 })).toSorted()).toEqual(ids('a', 'b'))
    expect(await who(project, { source: bracketed, interval: 0, day: 1 })).toEqual(ids('a'))
    const cumulative = node({ retentionCustomBrackets: [1, 2], totalIntervals: 4, cumulative: true })
    expect(await table(project, cumulative)).toEqual([[undefined, [[2, 2, 2], [2, 1, 1], [1, 1], [2]]]])
    const alone = resultOf(
      await project.query(NOW, node({ retentionCustomBrackets: [5, 5], totalIntervals: null })),
      'RetentionQuery',
    )
    expect(alone.plan.range.buckets).toHaveLength(11)
  })
})

describe('windows of 24 hours', () => {
  test('begin when somebody came, and not at midnight', async () => {
    const project = engine.project()
    await project.seed([
      did('a', '01T22:00'),
      did('a', '02T01:00'),
      did('a', '02T23:00'),
      did('b', '02T10:00'),
      did('b', '03T09:59'),
      did('b', '04T10:00'),
    ])
    expect(await table(project, node())).toEqual([[undefined, [[1, 1, 0, 0], [2, 1, 1], [1, 1], [1]]]])
    const rolling = node({ timeWindowMode: '24_hour_windows' })
    expect(await table(project, rolling)).toEqual([[undefined, [[1, 1, 0, 0], [1, 0, 1], [0, 0], [0]]]])
    expect(await who(project, { source: rolling, interval: 1, day: 2 })).toEqual(ids('b'))
    expect(await who(project, { source: rolling, interval: 1, day: 1 })).toEqual([])
    await expect(table(project, node({ timeWindowMode: '24_hour_windows', cumulative: true }))).rejects.toThrow(
      'Cumulative retention is not supported for 24 hour windows.',
    )
  })

  test('are hours, seven days or thirty days for other periods', async () => {
    const project = engine.project()
    await project.seed([did('a', '04T20:40'), did('a', '04T21:10'), did('a', '04T22:39'), did('a', '04T22:40')])
    const hours = node({ timeWindowMode: '24_hour_windows', period: 'Hour' })
    expect(await table(project, hours)).toEqual([[undefined, [[1, 1, 1, 0], [0, 0, 0], [0, 0], [0]]]])
  })
})

test('cells of a cumulative table lead to those who came back then or later', async () => {
  const project = engine.project()
  await project.seed([did('a', '01T10:00'), did('a', '04T10:00'), did('b', '01T10:00')])
  const source = node({ cumulative: true })
  expect(await table(project, source)).toEqual([[undefined, [[2, 1, 1, 1], [0, 0, 0], [0, 0], [1]]]])
  expect(await who(project, { source, interval: 0, day: 1 })).toEqual(ids('a'))
})

describe('the first time', () => {
  test('is the first that fits the filters, or, when asked for the first ever, must fit them itself', async () => {
    const project = engine.project()
    await project.seed([
      did('a', '01T10:00', 'free'),
      did('a', '02T10:00', 'pro'),
      did('a', '03T10:00', 'pro'),
      did('b', '02T10:00', 'pro'),
    ])
    const pro = { properties: [{ key: 'plan', value: 'pro' }] }
    expect(await table(project, node({ retentionType: 'retention_recurring' }, pro))).toEqual([
      [undefined, [[0, 0, 0, 0], [2, 1, 0], [1, 0], [0]]],
    ])
    expect(await table(project, node({ retentionType: 'retention_first_time' }, pro))).toEqual([
      [undefined, [[0, 0, 0, 0], [2, 1, 0], [0, 0], [0]]],
    ])
    expect(await table(project, node({ retentionType: 'retention_first_ever_occurrence' }, pro))).toEqual([
      [undefined, [[0, 0, 0, 0], [1, 0, 0], [0, 0], [0]]],
    ])
  })
})

describe('a breakdown', () => {
  const VISITS = [
    did('a', '01T10:00', 'pro'),
    did('a', '02T10:00', 'pro'),
    did('b', '01T10:00', 'pro'),
    did('b', '02T10:00', 'free'),
    did('c', '03T10:00', 'free'),
    did('d', '04T10:00'),
  ]
  const by = (breakdownFilter: object, filter: object = {}) => node(filter, { breakdownFilter })

  test('is one table a value, the largest first, in JSON and CSV', async () => {
    const project = engine.project()
    await project.seed(VISITS)
    const { result } = await project.query(NOW, by({ breakdown: 'plan' }))
    const onWire = retentionOnWire(resultOf({ result }, 'RetentionQuery'))
    expect(onWire.map(({ breakdown_value, values }) => [breakdown_value, ...values.map(({ count }) => count)])).toEqual(
      [
        ['pro', 2, 1, 0, 0],
        ['pro', 1, 0, 0],
        ['pro', 0, 0],
        ['pro', 0],
        ['free', 0, 0, 0, 0],
        ['free', 1, 0, 0],
        ['free', 1, 0],
        ['free', 0],
        ['', 0, 0, 0, 0],
        ['', 0, 0, 0],
        ['', 0, 0],
        ['', 1],
      ],
    )
    expect(csvRowsOf(result).slice(0, 2)).toEqual([
      ['breakdown', 'cohort', 'size', 'Day 0', 'Day 1', 'Day 2', 'Day 3'],
      ['pro', '2024-03-01T00:00:00Z', 2, 2, 1, 0, 0],
    ])
    const linked = linkedRetentionOnWire(resultOf({ result }, 'RetentionQuery'), (...which) => JSON.stringify(which))
    expect(linked[0]).toMatchObject({
      people_url: '[0,null,"pro"]',
      values: [{ people_url: '[0,0,"pro"]' }, {}, {}, {}],
    })
  })

  test('leads to who is behind a value, also none and the rest', async () => {
    const project = engine.project()
    await project.seed(VISITS)
    const source = by({ breakdown: 'plan' })
    expect((await who(project, { source, interval: 0, breakdown: 'pro' })).toSorted()).toEqual(ids('a', 'b'))
    expect(await who(project, { source, interval: 0, day: 1, breakdown: 'pro' })).toEqual(ids('a'))
    expect(await who(project, { source, interval: 3, breakdown: '' })).toEqual(ids('d'))
    const limited = by({ breakdown: 'plan', breakdown_limit: 1 })
    expect((await table(project, limited)).map(([value]) => value)).toEqual(['pro', '$$_posthog_breakdown_other_$$'])
    const rest = { source: limited, interval: 1, breakdown: '$$_posthog_breakdown_other_$$' }
    expect(await who(project, rest)).toEqual(ids('b'))
    const hidden = by({ breakdown: 'plan', breakdown_limit: 1, breakdown_hide_other_aggregation: true })
    expect((await table(project, hidden)).map(([value]) => value)).toEqual(['pro'])
  })

  test('of those who came for the first time is by the value they had then', async () => {
    const project = engine.project()
    await project.seed(VISITS)
    const first = { retentionType: 'retention_first_time' }
    expect(await table(project, by({ breakdown: 'plan' }, first))).toEqual([
      ['pro', [[2, 2, 0, 0], [0, 0, 0], [0, 0], [0]]],
      ['$$_posthog_breakdown_null_$$', [[0, 0, 0, 0], [0, 0, 0], [0, 0], [1]]],
      ['free', [[0, 0, 0, 0], [0, 0, 0], [1, 0], [0]]],
    ])
  })

  test('puts numbers into ranges, and leads to who is in one', async () => {
    const project = engine.project()
    await project.seed([
      ...[did('a', '01T10:00', '1'), did('b', '01T10:00', '2'), did('c', '01T10:00', '30'), did('d', '01T10:00', '40')],
      ...[did('a', '02T10:00', '1'), did('c', '02T10:00', '30'), did('d', '03T10:00', '40'), did('e', '01T10:00')],
    ])
    const first = { retentionType: 'retention_first_time' }
    const source = by({ breakdown: 'plan', breakdown_histogram_bin_count: 2 }, first)
    const none = [[0, 0, 0], [0, 0], [0]]
    expect(await table(project, source)).toEqual([
      ['[1,16]', [[2, 1, 0, 0], ...none]],
      ['[16,40.01]', [[2, 1, 1, 0], ...none]],
      ['$$_posthog_breakdown_null_$$', [[1, 0, 0, 0], ...none]],
    ])
    expect(await who(project, { source, interval: 0, day: 1, breakdown: '[16,40.01]' })).toEqual(ids('c'))
  })

  test('by several, by a person’s property and by an expression', async () => {
    const project = engine.project()
    await project.seed(VISITS)
    const several = { breakdowns: [{ property: 'plan' }, { property: 'distinct_id', type: 'event_metadata' }] }
    const { result } = await project.query(NOW, by(several))
    const wired = retentionOnWire(resultOf({ result }, 'RetentionQuery')).map(({ breakdown_value }) => breakdown_value)
    expect(wired.slice(0, 5)).toEqual(['pro::a', 'pro::a', 'pro::a', 'pro::a', '::d'])
    expect(await who(project, { source: by(several), interval: 0, breakdown: 'pro::b' })).toEqual(ids('b'))
    const expression = { breakdown: 'upper(properties.plan)', breakdown_type: 'hogql' }
    expect((await table(project, by(expression))).map(([value]) => value)).toContain('PRO')
  })
})

test('what changes numbers and is not supported is refused', async () => {
  const project = engine.project()
  await expect(table(project, node({ aggregationType: 'sum' }))).rejects.toThrow('not supported')
  await expect(table(project, node({ retentionCustomBrackets: [1, 99] }))).rejects.toThrow('99 intervals at most')
  await expect(table(project, node({ retentionCustomBrackets: [0] }))).rejects.toThrow('retentionCustomBrackets')
})
