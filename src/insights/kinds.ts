/**
 * The kinds of insights: how each is answered, who stands behind its numbers, and how it is written as JSON and as a table. A new kind is
 * added here (and to the schema of queries), and nowhere else.
 */

import type { ActorsSource, Query } from '../contract/queries/index.ts'
import type { ActorSelection } from './actors/selection.ts'
import type { InsightContext } from './context.ts'
import { correlationActors } from './correlation/actors.ts'
import { type CorrelationResult, runCorrelation } from './correlation/run.ts'
import type { Conversation } from './engine.ts'
import { funnelActors } from './funnels/actors.ts'
import type { FunnelsResult } from './funnels/result.ts'
import { runFunnel } from './funnels/run.ts'
import { lifecycleActors } from './lifecycle/actors.ts'
import { type LifecycleResult, runLifecycle } from './lifecycle/run.ts'
import { type PathsResult, pathActors, runPaths } from './paths/run.ts'
import { retentionActors } from './retention/actors.ts'
import { type RetentionResult, runRetention } from './retention/run.ts'
import { stickinessActors } from './stickiness/actors.ts'
import { runStickiness, type StickinessResult } from './stickiness/run.ts'
import { trendActors } from './trends/actors.ts'
import type { TrendsResult } from './trends/result.ts'
import { runTrends } from './trends/run.ts'
import { correlationOnWire } from './wire/correlation.ts'
import { correlationRows } from './wire/correlation-csv.ts'
import type { CsvRow } from './wire/csv-row.ts'
import { funnelOnWire } from './wire/funnels.ts'
import { funnelRows } from './wire/funnels-csv.ts'
import type { Links } from './wire/links.ts'
import { lifecycleOnWire, pathsOnWire, retentionOnWire, stickinessOnWire } from './wire/others.ts'
import { lifecycleRows, pathRows, retentionRows, stickinessRows } from './wire/others-csv.ts'
import { trendsOnWire } from './wire/trends.ts'
import { trendRows } from './wire/trends-csv.ts'

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
type Answering<Asked, Answer> = (query: Asked, context: InsightContext, conversation: Conversation) => Promise<Answer>

interface InsightKind<K extends KindName> {
  readonly run: Answering<QueryOf<K>, ResultOf<K>>
  /** By the queries that can ask for them. */
  readonly actors: { readonly [A in ActorsSource['kind']]?: Answering<AskingOf<A, K>, ActorSelection> }
  onWire(result: ResultOf<K>, links?: Links): unknown
  readonly rows: (result: ResultOf<K>) => CsvRow[]
}

const KINDS: { readonly [K in KindName]: InsightKind<K> } = {
  TrendsQuery: {
    run: runTrends,
    actors: { InsightActorsQuery: trendActors },
    onWire: (result, links) => trendsOnWire(result, links?.point),
    rows: trendRows,
  },
  FunnelsQuery: {
    run: runFunnel,
    actors: { FunnelsActorsQuery: funnelActors },
    onWire: (result, links) => funnelOnWire(result, links?.step),
    rows: funnelRows,
  },
  FunnelCorrelationQuery: {
    run: runCorrelation,
    actors: { FunnelCorrelationActorsQuery: correlationActors },
    onWire: (result, links) => correlationOnWire(result, links?.correlation),
    rows: correlationRows,
  },
  RetentionQuery: {
    run: runRetention,
    actors: { InsightActorsQuery: retentionActors },
    onWire: (result, links) => retentionOnWire(result, links?.retention),
    rows: retentionRows,
  },
  LifecycleQuery: {
    run: runLifecycle,
    actors: { InsightActorsQuery: lifecycleActors },
    onWire: (result, links) => lifecycleOnWire(result, links?.point),
    rows: lifecycleRows,
  },
  StickinessQuery: {
    run: runStickiness,
    actors: { InsightActorsQuery: stickinessActors, StickinessActorsQuery: stickinessActors },
    onWire: (result, links) => stickinessOnWire(result, links?.point),
    rows: stickinessRows,
  },
  PathsQuery: {
    run: runPaths,
    actors: { InsightActorsQuery: ({ source }, ...rest) => pathActors(source, ...rest) },
    onWire: pathsOnWire,
    rows: pathRows,
  },
}

/** A kind as whoever holds a query or a result of it needs it: that they belong together is the table's promise. */
interface AnyKind {
  readonly run: Answering<Query, InsightResult>
  readonly actors: { readonly [A in ActorsSource['kind']]?: Answering<ActorsSource, ActorSelection> }
  onWire(result: InsightResult, links?: Links): unknown
  rows(result: InsightResult): CsvRow[]
}

/** Whether questions of this kind are answered as insights. */
export const isInsightKind = (name: string): boolean => Object.hasOwn(KINDS, name)

export function kindOf(name: KindName): AnyKind
export function kindOf(name: string): AnyKind | undefined
export function kindOf(name: string): AnyKind | undefined {
  return isInsightKind(name) ? (KINDS[name as KindName] as unknown as AnyKind) : undefined
}
