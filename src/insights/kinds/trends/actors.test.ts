import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid, type SeedEvent, seedMerges } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../../test/support/insights/test-engine.ts'
import type { ActorsSource } from '../../../contract/queries/index.ts'
import { readQuery } from '../../parse/read-query.ts'
import { runActors } from '../../run/actors.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2020-01-08T13:00:00Z'
const view = (day: number, distinctId: string, more: Partial<SeedEvent> = {}): SeedEvent => ({
  event: 'view',
  distinctId,
  at: `2020-01-0${day}T10:00:00Z`,
  ...more,
})

async function who(
  project: TestProject,
  asked: Record<string, unknown>,
  more: { limit?: number; offset?: number; hasOverrides?: boolean } = {},
) {
  const { source, ...rest } = asked
  const node = {
    kind: 'InsightActorsQuery',
    source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'view' }], ...(source as object) },
    ...rest,
  }
  const { limit = 100, offset = 0, hasOverrides = false } = more
  return runActors(project.context(NOW, { hasOverrides }), readQuery(node) as ActorsSource, { limit, offset })
}
const names = (ids: readonly { id: string }[], from: readonly string[]) =>
  ids.map(({ id }) => from.find((name) => personUuid(name) === id) ?? id)

describe('the persons behind a point', () => {
  test('are those of its day, the busiest first, with the sessions that show them', async () => {
    const project = engine.project()
    await project.seed([
      view(2, 'a', { sessionId: 's1' }),
      view(2, 'b', { sessionId: 's2' }),
      view(2, 'b'),
      view(3, 'c'),
    ])
    const { actors, hasMore } = await who(project, { day: '2020-01-02' })
    expect(names(actors, ['a', 'b', 'c'])).toEqual(['b', 'a'])
    expect(hasMore).toBe(false)
    expect(actors[0]).toMatchObject({
      eventCount: 2,
      recordings: [{ session_id: 's2', events: [{ timestamp: '2020-01-02T10:00:00.000000Z' }] }],
    })
  })

  test('come in pages that hold everyone once', async () => {
    const project = engine.project()
    const everyone = Array.from({ length: 7 }, (_, index) => `p${index}`)
    await project.seed(everyone.map((name) => view(2, name)))
    const seen: string[] = []
    for (const offset of [0, 3, 6]) {
      const page = await who(project, { day: '2020-01-02' }, { limit: 3, offset })
      expect(page.hasMore).toBe(offset < 6)
      seen.push(...names(page.actors, everyone))
    }
    expect(seen.toSorted()).toEqual(everyone)
  })

  test('are survivors of merges', async () => {
    const project = engine.project()
    await project.seed([view(2, 'old'), view(2, 'new')])
    await seedMerges(project.clickhouse, project.id, [{ old: 'old', survivor: 'new' }])
    const { actors } = await who(project, { day: '2020-01-02' }, { hasOverrides: true })
    expect(names(actors, ['old', 'new'])).toEqual(['new'])
  })

  test('of a breakdown value, of the missing one and of the rest', async () => {
    const project = engine.project()
    await project.seed([
      view(2, 'a', { properties: { plan: 'x' } }),
      view(2, 'a', { properties: { plan: 'x' } }),
      view(2, 'b', { properties: { plan: 'y' } }),
      view(2, 'c'),
      view(2, 'c'),
    ])
    const source = { breakdownFilter: { breakdown: 'plan', breakdown_limit: 2 } }
    const ofValue = async (breakdown: string) =>
      names((await who(project, { source, breakdown, day: '2020-01-02' })).actors, ['a', 'b', 'c'])
    expect(await ofValue('x')).toEqual(['a'])
    expect(await ofValue('$$_posthog_breakdown_null_$$')).toEqual(['c'])
    expect(await ofValue('$$_posthog_breakdown_other_$$')).toEqual(['b'])
  })

  test('of the earlier period, of a first time, of an active week, of everyone so far and of groups', async () => {
    const project = engine.project()
    await project.seed([
      { ...view(1, 'before'), at: '2019-12-28T10:00:00Z' },
      view(2, 'a', { groups: { 0: 'acme' } }),
      view(3, 'a'),
      view(4, 'b'),
    ])
    const everyone = ['before', 'a', 'b']
    const of = async (asked: Record<string, unknown>) => names((await who(project, asked)).actors, everyone).toSorted()
    const series = (math: string) => [{ kind: 'EventsNode', event: 'view', math, math_group_type_index: 0 }]
    expect(await of({ source: { compareFilter: { compare: true } }, compare: 'previous', day: '2019-12-28' })).toEqual([
      'before',
    ])
    expect(await of({ source: { series: series('first_time_for_user') }, day: '2020-01-03' })).toEqual([])
    expect(await of({ source: { series: series('first_time_for_user') }, day: '2020-01-04' })).toEqual(['b'])
    expect(await of({ source: { series: series('weekly_active') }, day: '2020-01-03' })).toEqual(['a', 'before'])
    expect(
      await of({ source: { trendsFilter: { display: 'ActionsLineGraphCumulative' } }, day: '2020-01-04' }),
    ).toEqual(['a', 'b'])
    expect(await of({ source: { series: series('unique_group') }, day: '2020-01-02' })).toEqual(['acme'])
    const cutWeek = { interval: 'week', dateRange: { date_from: '2020-01-01', date_to: '2020-01-03' } }
    const soFar = { ...cutWeek, trendsFilter: { display: 'ActionsLineGraphCumulative' } }
    expect(await of({ source: soFar, day: '2019-12-29' })).toEqual(['a'])
    // A chart that was drawn a minute ago may show a day that has left the range since.
    expect(await of({ day: '2025-01-01' })).toEqual([])
    await expect(of({ series: 4 })).rejects.toThrow('no such series')
  })
})
