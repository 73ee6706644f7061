import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid, type SeedEvent } from '../../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../../test/support/insights/test-engine.ts'
import { funnelsActorsQuerySchema } from '../../../contract/queries/index.ts'
import type { FunnelStep } from '../../../contract/results/index.ts'
import { runActors } from '../../run/actors.ts'
import { csvRowsOf } from '../../wire/csv.ts'
import { funnelOnWire } from './wire.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2020-02-01T00:00:00Z'
const did = (distinctId: string, event: string, at: string, properties = {}): SeedEvent => ({
  event,
  distinctId,
  at: `2020-01-${at}Z`,
  properties,
})
const events = (event?: string, more = {}) => ({ kind: 'EventsNode', event, ...more })
const RED = { properties: [{ key: 'colour', value: 'red', type: 'event' }] }
const JANUARY = { dateRange: { date_from: '2020-01-01', date_to: '2020-01-31' } }

async function answered(project: TestProject, series: object[], more: object = {}) {
  return project.query(NOW, { kind: 'FunnelsQuery', series, ...JANUARY, ...more })
}
async function steps(project: TestProject, series: object[], more: object = {}) {
  const answer = await answered(project, series, more)
  return funnelOnWire(resultOf(answer, 'FunnelsQuery')) as FunnelStep[]
}
const counts = (of: readonly FunnelStep[]) => of.map(({ count }) => count)

describe('an event never follows itself', () => {
  const SERIES = [events(), events('b'), events('b', RED), events('b')]

  test('also behind a step that holds it', async () => {
    const project = engine.project()
    await project.seed([
      did('one', 'b', '02T10:00:00', { colour: 'red' }),
      did('two', 'a', '02T10:00:00'),
      did('two', 'b', '02T11:00:00', { colour: 'red' }),
      did('three', 'b', '02T10:00:00'),
      did('three', 'b', '02T11:00:00', { colour: 'blue' }),
      did('three', 'b', '02T12:00:00', { colour: 'red' }),
      did('four', 'b', '02T10:00:00', { colour: 'red' }),
      did('four', 'b', '02T11:00:00', { colour: 'red' }),
      did('four', 'b', '02T12:00:00', { colour: 'red' }),
      did('four', 'b', '02T13:00:00', { colour: 'red' }),
    ])
    expect(counts(await steps(project, SERIES))).toEqual([4, 3, 2, 1])
  })

  test('nor at one instant, where another event can', async () => {
    const project = engine.project()
    await project.seed([
      did('one', 'b', '02T10:00:00', { colour: 'red' }),
      did('two', 'a', '02T10:00:00'),
      did('two', 'b', '02T10:00:00', { colour: 'blue' }),
    ])
    expect(counts(await steps(project, SERIES))).toEqual([2, 1, 0, 0])
  })
})

describe('optional steps', () => {
  const SHOP = [events('visit'), events('search', { optionalInFunnel: true }), events('buy'), events('review')]
  const seeded = async () => {
    const project = engine.project()
    await project.seed([
      did('all', 'visit', '02T10:00:00'),
      did('all', 'search', '02T11:00:00'),
      did('all', 'buy', '02T13:00:00'),
      did('all', 'review', '02T14:00:00'),
      did('skips', 'visit', '02T10:00:00'),
      did('skips', 'buy', '02T11:00:00'),
      did('skips', 'search', '02T12:00:00'),
      did('looks', 'visit', '02T10:00:00'),
      did('looks', 'search', '02T11:00:00'),
      did('leaves', 'visit', '02T10:00:00'),
    ])
    return project
  }

  test('are counted when they come between the others, which do not need them', async () => {
    const project = await seeded()
    const found = await steps(project, SHOP)
    expect(counts(found)).toEqual([4, 2, 2, 1])
    // Times go from required step to required step.
    expect(found.map(({ average_conversion_time: time }) => time)).toEqual([null, null, (3 * 3600 + 3600) / 2, 3600])
  })

  test('have people who did them, and who did not', async () => {
    const project = await seeded()
    const who = async (funnelStep: number) => {
      const source = { kind: 'FunnelsQuery', series: SHOP, ...JANUARY }
      const query = funnelsActorsQuerySchema.parse({ kind: 'FunnelsActorsQuery', source, funnelStep })
      const { actors } = await runActors(project.context(NOW), query, { limit: 10, offset: 0 })
      return actors.map(({ id }) => id).toSorted()
    }
    const uuids = (...names: string[]) => names.map(personUuid).toSorted()
    expect(await who(2)).toEqual(uuids('all', 'looks'))
    expect(await who(-2)).toEqual(uuids('skips', 'leaves'))
    expect(await who(3)).toEqual(uuids('all', 'skips'))
    expect(await who(-3)).toEqual(uuids('looks', 'leaves'))
  })

  test.each([
    ['as the first', [events('a', { optionalInFunnel: true }), events('b')], {}],
    ['before the same step', [events('a'), events('b', { optionalInFunnel: true }), events('b')], {}],
    ['in a strict funnel', [events('a'), events('b', { optionalInFunnel: true })], { funnelOrderType: 'strict' }],
    ['in a trend', [events('a'), events('b', { optionalInFunnel: true })], { funnelVizType: 'trends' }],
  ])('are refused %s', async (_, series, funnelsFilter) => {
    await expect(answered(engine.project(), series, { funnelsFilter })).rejects.toMatchObject({ name: 'InvalidQuery' })
  })
})

describe('first times', () => {
  test('are the first ever, by name or with the filters', async () => {
    const project = engine.project()
    await project.seed([
      // Bought before the range.
      { ...did('old', 'buy', '02T10:00:00'), at: '2019-06-01T00:00:00Z' },
      did('old', 'buy', '02T10:00:00', { colour: 'red' }),
      did('old', 'rate', '02T11:00:00'),
      did('new', 'buy', '02T10:00:00', { colour: 'red' }),
      did('new', 'rate', '02T11:00:00'),
      // Its first purchase was not a red one.
      did('late', 'buy', '02T10:00:00', { colour: 'blue' }),
      did('late', 'buy', '03T10:00:00', { colour: 'red' }),
      did('late', 'rate', '02T11:00:00'),
    ])
    const bought = async (more: object) => counts(await steps(project, [events('buy', more), events('rate')]))
    expect(await bought({})).toEqual([3, 3])
    expect(await bought({ math: 'first_time_for_user' })).toEqual([2, 2])
    expect(await bought({ math: 'first_time_for_user', ...RED })).toEqual([1, 1])
    expect(await bought({ math: 'first_time_for_user_with_filters', ...RED })).toEqual([3, 2])
  })
})

describe('two periods', () => {
  const COMPARED = {
    dateRange: { date_from: '2020-01-16', date_to: '2020-01-18' },
    compareFilter: { compare: true, compare_to: '-1w' },
  }
  const SERIES = [events('a'), events('b')]
  const seeded = async () => {
    const project = engine.project()
    await project.seed([
      did('u', 'a', '16T10:00:00', { plan: 'pro' }),
      did('u', 'b', '16T11:00:00', { plan: 'pro' }),
      did('v', 'a', '17T10:00:00', { plan: 'pro' }),
      did('w', 'a', '09T10:00:00', { plan: 'free' }),
      did('w', 'b', '09T12:00:00', { plan: 'free' }),
    ])
    return project
  }
  const period = (of: readonly FunnelStep[]) => of.map(({ compare_label, count }) => [compare_label, count])

  test('are two funnels, the current one first', async () => {
    const project = await seeded()
    const answer = await answered(project, SERIES, COMPARED)
    expect(period(funnelOnWire(resultOf(answer, 'FunnelsQuery')) as FunnelStep[])).toEqual([
      ['current', 2],
      ['current', 1],
      ['previous', 1],
      ['previous', 1],
    ])
    expect(csvRowsOf(answer.result).slice(0, 2)).toEqual([
      ['period', 'step', 'name', 'count', 'average_conversion_time', 'median_conversion_time'],
      ['current', 1, 'a', 2, null, null],
    ])
  })

  test('have the same values of a breakdown', async () => {
    const project = await seeded()
    const lists = (await steps(project, SERIES, {
      ...COMPARED,
      breakdownFilter: { breakdown: 'plan' },
    })) as unknown as FunnelStep[][]
    expect(lists.map((list) => [list[0]?.breakdown_value, ...period(list)])).toEqual([
      [['pro'], ['current', 2], ['current', 1]],
      [['free'], ['current', 0], ['current', 0]],
      [['pro'], ['previous', 0], ['previous', 0]],
      [['free'], ['previous', 1], ['previous', 1]],
    ])
  })

  test('share the bins of their times, and the intervals of their rates', async () => {
    const project = await seeded()
    expect(await steps(project, SERIES, { ...COMPARED, funnelsFilter: { funnelVizType: 'time_to_convert' } })).toEqual([
      expect.objectContaining({
        compare_label: 'current',
        average_conversion_time: 3600,
        bins: [
          [3600, 1],
          [5400, 0],
          [7200, 0],
        ],
      }),
      expect.objectContaining({
        compare_label: 'previous',
        average_conversion_time: 7200,
        bins: [
          [3600, 0],
          [5400, 0],
          [7200, 1],
        ],
      }),
    ])
    expect(await steps(project, SERIES, { ...COMPARED, funnelsFilter: { funnelVizType: 'trends' } })).toEqual([
      expect.objectContaining({ compare_label: 'current', data: [100, 0, 0] }),
      expect.objectContaining({
        compare_label: 'previous',
        data: [100, 0, 0],
        days: ['2020-01-09', '2020-01-10', '2020-01-11'],
      }),
    ])
  })

  test('have people of their own', async () => {
    const project = await seeded()
    const source = { kind: 'FunnelsQuery', series: SERIES, ...COMPARED }
    const query = funnelsActorsQuerySchema.parse({
      kind: 'FunnelsActorsQuery',
      source,
      funnelStep: 1,
      compare: 'previous',
    })
    const { actors } = await runActors(project.context(NOW), query, { limit: 10, offset: 0 })
    expect(actors.map(({ id }) => id)).toEqual([personUuid('w')])
  })
})
