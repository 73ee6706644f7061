import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SeedEvent } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, type TestEngine } from '../../../../test/support/insights/test-engine.ts'
import { gatherFacts } from '../../facts/gather.ts'
import { readQuery } from '../../parse/read-query.ts'
import { StatementRunner } from '../../run/statement-runner.ts'
import { runFunnel } from './run.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const MOST_PERSONS_COLLECTED = 10
const did = (distinctId: string, event: string, minute: number): SeedEvent => ({
  event,
  distinctId,
  at: new Date(Date.UTC(2024, 4, 1, 12, minute)).toISOString(),
})

test('a strict funnel collects the events of those who did its first step, and of nobody else', async () => {
  const project = engine.project()
  const bystanders = Array.from({ length: 200 }, (_, index) => `bystander ${index}`)
  await project.seed([
    ...bystanders.flatMap((person) => [did(person, 'browse', 1), did(person, 'buy', 2)]),
    ...['direct', 'detour'].map((person) => did(person, 'sign up', 1)),
    did('detour', 'browse', 2),
    ...['direct', 'detour'].map((person) => did(person, 'buy', 3)),
  ])
  const query = readQuery({
    kind: 'FunnelsQuery',
    series: ['sign up', 'buy'].map((event) => ({ kind: 'EventsNode', event })),
    dateRange: { date_from: '2024-05-01', date_to: '2024-05-02' },
    funnelsFilter: { funnelOrderType: 'strict' },
  })
  if (query.kind !== 'FunnelsQuery') throw new Error('a funnel was asked for')
  const bounds = { max_rows_to_group_by: MOST_PERSONS_COLLECTED, group_by_overflow_mode: 'throw' }
  const runner = new StatementRunner(project.clickhouse, undefined, bounds)
  const facts = await gatherFacts([query], project.context('2024-05-03T00:00:00Z'), runner)
  const result = await runFunnel(query, facts, runner)
  expect(result).toMatchObject({ groups: [{ counts: [2, 1] }] })
})
