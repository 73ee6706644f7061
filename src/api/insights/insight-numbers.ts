/** The numbers of saved insights, whatever they ask: an insight, SQL, or a table of events or persons. */

import type { Query } from '../../contract/queries/index.ts'
import {
  type CsvCell,
  type CsvRow,
  csvRowsOf,
  dataNodeOf,
  isInsightKind,
  nodeOfLegacyFilter,
  readQuery,
  resultOnWire,
  type SavedInsight,
  withOverride,
} from '../../insights/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import { asText, isObject, plainText, stringifyJson } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { answerQuery } from '../query/answer.ts'
import { answerInsight, asksToRefresh, cacheOf } from './insight-answers.ts'
import { type Fields, insightContext } from './insight-question.ts'
import type { FullInsight } from './insight-record.ts'

type Numbers = Pick<FullInsight, 'result' | 'is_cached' | 'last_refresh'> &
  Partial<Pick<FullInsight, 'columns' | 'types' | 'hasMore' | 'hogql'>>

/** What a query node is answered with, as far as a record of an insight tells it. */
interface Answered {
  readonly results: unknown
  readonly columns?: readonly string[]
  readonly types?: unknown
  readonly hasMore?: boolean
  readonly hogql?: string | null
  readonly is_cached: boolean
  readonly last_refresh: string | null
}

/** New ones when a refresh is asked for, else those that are at hand. `override` is what a dashboard says over its insights. */
export async function numbersOf(
  call: ProjectCall,
  insight: SavedInsight,
  override: Fields | null = null,
): Promise<Numbers | undefined> {
  const node = askedBy(insight)
  if (node === undefined) return undefined
  const { refresh } = call.query as Fields
  if (refresh === undefined || refresh === 'false' || refresh === 'force_cache') return kept(call, node, override)
  const options = { refresh: asksToRefresh(refresh), signal: call.signal }
  const answer: Answered = await answerQuery(call, node, override, options)
  return {
    result: answer.results,
    columns: answer.columns ?? null,
    types: answer.types ?? null,
    hasMore: answer.hasMore ?? null,
    hogql: answer.hogql ?? null,
    is_cached: answer.is_cached,
    last_refresh: answer.last_refresh,
  }
}

/** SQL is asked anew each time: nothing is kept of it. */
async function kept(call: ProjectCall, node: Fields, override: Fields | null): Promise<Numbers | undefined> {
  if (!isInsightKind(asText(node.kind))) return undefined
  const question = readable(node, override)
  // Why it cannot be asked is said when somebody asks.
  if (question === undefined) return undefined
  const found = await cacheOf(call.sql).peek(call.sql, await insightContext(call), question)
  return (
    found && {
      result: resultOnWire(found.answer.result),
      is_cached: found.isCached,
      last_refresh: new Date(found.lastRefresh).toISOString(),
    }
  )
}

function readable(node: Fields, override: Fields | null): Query | undefined {
  try {
    return withOverride(readQuery(node), override)
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

/** The same as a table. */
export async function rowsOf(call: ProjectCall, insight: SavedInsight): Promise<CsvRow[] | undefined> {
  const node = askedBy(insight)
  if (node === undefined) return undefined
  const refresh = asksToRefresh((call.query as Fields).refresh)
  if (isInsightKind(asText(node.kind))) {
    const { answer } = await answerInsight(call, readQuery(node), { refresh, signal: call.signal })
    return csvRowsOf(answer.result)
  }
  const { columns = [], results }: Answered = await answerQuery(call, node, null, { signal: call.signal })
  return [columns, ...(results as unknown[][]).map((row) => row.map(cellOf))]
}

function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined || typeof value === 'number') return value ?? null
  return typeof value === 'string' ? plainText(value) : stringifyJson(value)
}

const TABLES: ReadonlySet<string> = new Set(['HogQLQuery', 'EventsQuery', 'ActorsQuery'])

/** Nothing, when it asks for a kind we do not have: others may know it. */
function askedBy({ query, filters }: SavedInsight): Fields | undefined {
  if (query === null && (!isObject(filters) || Object.keys(filters).length === 0)) return undefined
  try {
    const node = dataNodeOf(query ?? nodeOfLegacyFilter(filters))
    return TABLES.has(asText(node.kind)) || isInsightKind(asText(node.kind)) ? node : undefined
  } catch {
    return undefined
  }
}
