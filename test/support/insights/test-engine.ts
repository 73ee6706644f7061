/** A ClickHouse for one test file, with a project number for each test. */

import type { ClickHouse } from '../../../src/engines/clickhouse/index.ts'
import type { InsightContext } from '../../../src/insights/facts/context.ts'
import type { InsightProject } from '../../../src/insights/facts/facts.ts'
import type { TrendsResult } from '../../../src/insights/kinds/trends/result.ts'
import { nodeOfLegacyFilter } from '../../../src/insights/parse/legacy-filter.ts'
import { readQuery } from '../../../src/insights/parse/read-query.ts'
import { type InsightAnswer, type InsightResult, runInsight } from '../../../src/insights/run/insight.ts'
import { startTestClickHouse } from '../clickhouse.ts'
import { type SeedEvent, seedEvents } from './seed.ts'

export interface TestProject {
  readonly id: number
  readonly clickhouse: ClickHouse
  seed(events: readonly SeedEvent[]): Promise<void>
  context(now: string, more?: Partial<InsightProject> & { readonly hasOverrides?: boolean }): InsightContext
  /** A legacy filter answered at `now`. */
  legacy(
    now: string,
    filter: Record<string, unknown>,
    more?: Parameters<TestProject['context']>[1],
  ): Promise<InsightAnswer>
  query(now: string, node: unknown, more?: Parameters<TestProject['context']>[1]): Promise<InsightAnswer>
}

export interface TestEngine {
  project(): TestProject
  stop(): Promise<void>
}

export async function openTestEngine(): Promise<TestEngine> {
  const { clickhouse, stop } = await startTestClickHouse()
  let projects = 0
  return { project: () => testProject(clickhouse, ++projects), stop }
}

function testProject(clickhouse: ClickHouse, id: number): TestProject {
  const context: TestProject['context'] = (now, { hasOverrides = false, ...project } = {}) => ({
    clickhouse,
    now: Date.parse(now),
    hasOverrides,
    project: { id, timezone: 'UTC', week_start_day: 0, test_account_filters: [], ...project },
  })
  return {
    id,
    clickhouse,
    seed: (events) => seedEvents(clickhouse, id, events),
    context,
    legacy: (now, filter, more) => runInsight(context(now, more), readQuery(nodeOfLegacyFilter(filter))),
    query: (now, node, more) => runInsight(context(now, more), readQuery(node)),
  }
}

/** The result of an answer, which must be of this kind. */
export function resultOf<K extends InsightResult['kind']>(
  { result }: Pick<InsightAnswer, 'result'>,
  kind: K,
): Extract<InsightResult, { kind: K }> {
  if (result.kind !== kind) throw new Error(`expected a result of ${kind}, got one of ${result.kind}`)
  return result as Extract<InsightResult, { kind: K }>
}

/** The result of a question that was about trends. */
export function asTrends(result: InsightResult): TrendsResult {
  if (result.kind !== 'TrendsQuery') throw new Error(`expected trends, got ${result.kind}`)
  return result
}
