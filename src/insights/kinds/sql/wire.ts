/** An answer to SQL on the wire: cells as JSON, times with their offset. */

import type { EventsAnswer, SqlAnswer } from '../../../contract/results/index.ts'
import { toInstant } from '../../../lib/zone.ts'
import { explainOnWire } from '../../wire/explain.ts'
import { isoInZone } from '../../wire/labels.ts'
import type { SqlResult } from './run.ts'

const TIME = /^(?:Nullable\()?DateTime(?:64)?\((?:\d+, )?'([^']+)'\)/

export function sqlEnvelope(
  query: string,
  answer: SqlResult,
  { timezone, lastRefresh, explain }: { timezone: string; lastRefresh: number; explain: boolean },
): SqlAnswer {
  const cells = answer.types.map(([, type]) => cellOf(type))
  return {
    results: answer.results.map((row) => row.map((value, i) => cells[i]?.(value))),
    columns: answer.columns,
    types: answer.types,
    query,
    hogql: query,
    error: null,
    explain: explain ? explainOnWire([answer.asked]) : null,
    metadata: null,
    modifiers: null,
    query_status: null,
    timings: [{ k: './execute', t: answer.elapsedMs / 1000 }],
    timezone,
    is_cached: false,
    last_refresh: new Date(lastRefresh).toISOString(),
    ...(answer.page ?? {}),
  }
}

/** How a value of a type stands on the wire. */
export function cellOf(type: string): (value: unknown) => unknown {
  const zone = TIME.exec(type)?.[1]
  if (zone === undefined) return (value) => value
  return (value) => {
    if (typeof value !== 'string') return value
    const text = value.replace(' ', 'T')
    const local = Date.parse(`${text.slice(0, 23)}Z`)
    if (Number.isNaN(local)) return value
    const offset = /(Z|[+-]\d{2}:?\d{2})$/.exec(isoInZone(toInstant(local, zone), zone))?.[1] ?? 'Z'
    return `${text}${offset === '+00:00' ? 'Z' : offset}`
  }
}

interface Table {
  readonly columns: readonly string[]
  readonly types: readonly string[]
  readonly results: readonly (readonly unknown[])[]
  readonly hasMore: boolean
  readonly limit: number
  readonly offset: number
  readonly elapsedMs: number
}

export const tableEnvelope = (
  { elapsedMs, ...table }: Table,
  { timezone, lastRefresh }: { timezone: string; lastRefresh: number },
): EventsAnswer => ({
  ...table,
  hogql: null,
  error: null,
  modifiers: null,
  query_status: null,
  timings: [{ k: './execute', t: elapsedMs / 1000 }],
  timezone,
  is_cached: false,
  last_refresh: new Date(lastRefresh).toISOString(),
})
