/**
 * The kinds of insights: how each is answered, who stands behind its numbers, and how it is written as JSON and as a
 * table. A new kind is added here (and to the schema of queries), and nowhere else.
 */

import type { ActorsSource, Query } from '../../contract/queries/index.ts'
import type { InsightAnswers, LegacyAnswers } from '../../contract/results/index.ts'
import { notInSql } from '../as-sql/text.ts'
import type { Facts } from '../facts/facts.ts'
import type { PlannedQuery } from '../facts/gather.ts'
import type { Pattern } from '../plan/patterns.ts'
import type { StatementRunner } from '../run/statement-runner.ts'
import type { ActorSelection } from '../sql/actors.ts'
import type { CsvRow } from '../wire/csv-row.ts'
import type { Envelope } from '../wire/envelope-fields.ts'
import type { Links } from '../wire/links.ts'
import { correlationActors } from './correlation/actors.ts'
import { correlationRows } from './correlation/csv.ts'
import { type CorrelationResult, runCorrelation } from './correlation/run.ts'
import { correlationOnWire } from './correlation/wire.ts'
import { funnelActors } from './funnels/actors.ts'
import { funnelSql } from './funnels/as-sql.ts'
import { funnelRows } from './funnels/csv.ts'
import type { FunnelsResult } from './funnels/result.ts'
import { runFunnel } from './funnels/run.ts'
import { funnelOnWire, totalMedian } from './funnels/wire.ts'
import { lifecycleActors } from './lifecycle/actors.ts'
import { lifecycleSql } from './lifecycle/as-sql.ts'
import { lifecycleRows } from './lifecycle/csv.ts'
import { type LifecycleResult, runLifecycle } from './lifecycle/run.ts'
import { lifecycleOnWire } from './lifecycle/wire.ts'
import { pathActors } from './paths/actors.ts'
import { pathsSql } from './paths/as-sql.ts'
import { pathRows } from './paths/csv.ts'
import { cleaningPatterns } from './paths/plan.ts'
import { type PathsResult, runPaths } from './paths/run.ts'
import { pathsOnWire } from './paths/wire.ts'
import { retentionActors } from './retention/actors.ts'
import { retentionSql } from './retention/as-sql.ts'
import { retentionRows } from './retention/csv.ts'
import { type RetentionResult, runRetention } from './retention/run.ts'
import { linkedRetentionOnWire, retentionOnWire } from './retention/wire.ts'
import { stickinessActors } from './stickiness/actors.ts'
import { stickinessSql } from './stickiness/as-sql.ts'
import { stickinessRows } from './stickiness/csv.ts'
import { runStickiness, type StickinessResult } from './stickiness/run.ts'
import { stickinessOnWire } from './stickiness/wire.ts'
import { trendActors } from './trends/actors.ts'
import { trendsSql } from './trends/as-sql.ts'
import { trendRows } from './trends/csv.ts'
import type { TrendsResult } from './trends/result.ts'
import { runTrends } from './trends/run.ts'
import { trendsOnWire } from './trends/wire.ts'

export type InsightResult =
  | TrendsResult
  | FunnelsResult
  | CorrelationResult
  | RetentionResult
  | LifecycleResult
  | StickinessResult
  | PathsResult

type KindName = InsightResult['kind']
type QueryOf<K extends KindName> = Extract<Query, { kind: K }>
type ResultOf<K extends KindName> = Extract<InsightResult, { kind: K }>
/** What asks for the actors of a kind: a query of that kind inside one that says which number is meant. */
type AskingOf<A extends ActorsSource['kind'], K extends KindName> = Extract<ActorsSource, { kind: A }> & {
  readonly source: QueryOf<K>
}
/** What an answer says besides its envelope. */
type ResultFields<K extends KindName> = Omit<InsightAnswers[K], keyof Envelope>
type Answering<Asked, Answer> = (query: Asked, facts: Facts, runner: StatementRunner) => Promise<Answer> | Answer

interface InsightKind<K extends KindName> {
  /**
   * The queries that are planned to answer it, and regular expressions outside their filters: what facts are gathered
   * for.
   */
  readonly planned: (query: QueryOf<K>) => readonly PlannedQuery[]
  readonly patterns?: (query: QueryOf<K>) => readonly Pattern[]
  readonly run: Answering<QueryOf<K>, ResultOf<K>>
  /** By the queries that can ask for them. */
  readonly actors: { readonly [A in ActorsSource['kind']]?: Answering<AskingOf<A, K>, ActorSelection> }
  /** The results, and what else the answer to a query node of this kind says of them. */
  readonly onWire: (result: ResultOf<K>) => ResultFields<K>
  /** The result as the legacy endpoints answer it: numbers lead to the people behind them. */
  readonly linked: (result: ResultOf<K>, links: Links) => LegacyAnswers[K]['result']
  readonly rows: (result: ResultOf<K>) => CsvRow[]
  /** The question in SQL that people read and run, with the same numbers; throws NotInSql. */
  readonly asSql: (result: ResultOf<K>) => string
}

/** Most kinds are one query that is planned. */
const itself = <Q>(query: Q): readonly [Q] => [query]

const KINDS: { readonly [K in KindName]: InsightKind<K> } = {
  TrendsQuery: {
    planned: itself,
    run: runTrends,
    actors: { InsightActorsQuery: trendActors },
    onWire: (result) => ({ results: trendsOnWire(result), hasMore: result.hasMore }),
    linked: (result, { point }) => trendsOnWire(result, point),
    rows: trendRows,
    asSql: trendsSql,
  },
  FunnelsQuery: {
    planned: itself,
    run: runFunnel,
    actors: { FunnelsActorsQuery: funnelActors },
    onWire: (result) => ({ results: funnelOnWire(result), ...totalMedian(result) }),
    linked: (result, { step }) => funnelOnWire(result, step),
    rows: funnelRows,
    asSql: funnelSql,
  },
  FunnelCorrelationQuery: {
    planned: ({ source }) => [source.source],
    run: runCorrelation,
    actors: { FunnelCorrelationActorsQuery: correlationActors },
    onWire: (result) => ({ results: correlationOnWire(result), totals: result.totals }),
    linked: (result, { correlation }) => correlationOnWire(result, correlation),
    rows: correlationRows,
    asSql: () => notInSql('It compares funnels of many events and properties with each other.'),
  },
  RetentionQuery: {
    planned: itself,
    run: runRetention,
    actors: { InsightActorsQuery: retentionActors },
    onWire: (result) => ({ results: retentionOnWire(result) }),
    linked: (result, { retention }) => linkedRetentionOnWire(result, retention),
    rows: retentionRows,
    asSql: retentionSql,
  },
  LifecycleQuery: {
    planned: itself,
    run: runLifecycle,
    actors: { InsightActorsQuery: lifecycleActors },
    onWire: (result) => ({ results: lifecycleOnWire(result) }),
    linked: (result, { point }) => lifecycleOnWire(result, point),
    rows: lifecycleRows,
    asSql: lifecycleSql,
  },
  StickinessQuery: {
    planned: itself,
    run: runStickiness,
    actors: { InsightActorsQuery: stickinessActors, StickinessActorsQuery: stickinessActors },
    onWire: (result) => ({ results: stickinessOnWire(result) }),
    linked: (result, { point }) => stickinessOnWire(result, point),
    rows: stickinessRows,
    asSql: stickinessSql,
  },
  PathsQuery: {
    planned: (query) => [...(query.funnelPathsFilter ? [query.funnelPathsFilter.funnelSource] : []), query],
    patterns: cleaningPatterns,
    run: runPaths,
    actors: { InsightActorsQuery: ({ source }, facts) => pathActors(source, facts) },
    onWire: (result) => ({ results: pathsOnWire(result) }),
    linked: (result) => pathsOnWire(result),
    rows: pathRows,
    asSql: pathsSql,
  },
}

/** A kind without its type parameter: the table guarantees that query and result belong together. */
interface AnyKind {
  planned(query: Query): readonly PlannedQuery[]
  patterns?(query: Query): readonly Pattern[]
  readonly run: Answering<Query, InsightResult>
  readonly actors: { readonly [A in ActorsSource['kind']]?: Answering<ActorsSource, ActorSelection> }
  onWire(result: InsightResult): { [K in KindName]: ResultFields<K> }[KindName]
  linked(result: InsightResult, links: Links): LegacyAnswers[KindName]['result']
  rows(result: InsightResult): CsvRow[]
  asSql(result: InsightResult): string
}

/** Whether questions of this kind are answered as insights. */
export const isInsightKind = (name: string): boolean => Object.hasOwn(KINDS, name)

export function kindOf(name: KindName): AnyKind
export function kindOf(name: string): AnyKind | undefined
export function kindOf(name: string): AnyKind | undefined {
  return isInsightKind(name) ? (KINDS[name as KindName] as unknown as AnyKind) : undefined
}
