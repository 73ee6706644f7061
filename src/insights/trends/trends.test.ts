import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestHouse, type TestHouse, type TestProject } from '../../../test/support/insights/house.ts'
import type { SeedEvent } from '../../../test/support/insights/seed.ts'
import { trendsOnWire } from '../wire/trends.ts'

let house: TestHouse
beforeAll(async () => {
  house = await openTestHouse()
})
afterAll(() => house.stop())

const NOW = '2020-01-04T13:00:01Z'
const signUp = (at: string, distinctId: string, properties = {}): SeedEvent => ({
  event: 'sign up',
  distinctId,
  person: distinctId === 'anonymous_id' ? 'blabla' : distinctId,
  at: `${at}T12:00:00Z`,
  properties,
})

/** One person under two ids, with and without a property. */
const FIXTURE_Y: SeedEvent[] = [
  signUp('2019-12-24', 'blabla', { $some_property: 'value' }),
  signUp('2020-01-01', 'blabla', { $some_property: 'value' }),
  signUp('2020-01-01', 'anonymous_id'),
  signUp('2020-01-01', 'blabla'),
  signUp('2020-01-02', 'blabla', { $some_property: 'other_value', $some_numerical_prop: 80 }),
  { event: 'no events', distinctId: 'blabla', at: '2020-01-02T12:00:00Z' },
]

async function trend(project: TestProject, filter: Record<string, unknown>, now = NOW) {
  return trendsOnWire((await project.legacy(now, filter)).result)
}

describe('a trend by day', () => {
  test('counts the events of each of eight days when no range is given', async () => {
    const project = house.project()
    await project.seed(FIXTURE_Y)
    const [series, ...rest] = await trend(project, { events: [{ id: 'sign up' }] })
    expect(rest).toEqual([])
    expect(series?.label).toBe('sign up')
    expect(series?.data).toEqual([0, 0, 0, 0, 3, 1, 0, 0])
    expect(series?.count).toBe(4)
    expect(series?.labels?.[4]).toBe('1-Jan-2020')
    expect(series?.days[5]).toBe('2020-01-02')
  })

  test('adds up for the cumulative display', async () => {
    const project = house.project()
    await project.seed([...FIXTURE_Y, { ...signUp('2020-01-03', 'new_user'), at: '2020-01-03T13:00:01Z' }])
    const filter = { display: 'ActionsLineGraphCumulative', date_from: '-7d' }
    const [total] = await trend(project, { ...filter, events: [{ id: 'sign up' }] })
    expect(total?.data?.slice(4)).toEqual([3, 4, 5, 5])
    const [unique] = await trend(project, { ...filter, events: [{ id: 'sign up', math: 'dau' }] })
    expect(unique?.data).toEqual([0, 0, 0, 0, 1, 1, 2, 2])
    expect(unique?.count).toBe(2)
  })
})
