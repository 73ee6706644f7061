/** Rows of the engine as rows of a table of events. */
import { cellOf } from '../sql/index.ts'
import type { EventsPlan } from './plan.ts'

export interface EventsTable {
  readonly columns: readonly string[]
  readonly types: readonly string[]
  readonly results: readonly (readonly unknown[])[]
  readonly hasMore: boolean
  readonly limit: number
  readonly offset: number
  readonly elapsedMs: number
}

interface Answer {
  readonly types: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly elapsedMs: number
}

export function eventsTable(
  { columns, limit, offset }: Pick<EventsPlan, 'columns' | 'limit' | 'offset'>,
  { types, rows, elapsedMs }: Answer,
): EventsTable {
  const starts = columns.map((_, i) => columns.slice(0, i).reduce((sum, { items }) => sum + items.length, 0))
  const onWire = types.map(cellOf)
  const row = (raw: readonly unknown[]) => {
    const values = raw.map((value, i) => onWire[i]?.(value))
    return columns.map(({ cell, items }, i) => cell(values.slice(starts[i], (starts[i] as number) + items.length)))
  }
  return {
    columns: columns.map(({ title }) => title),
    types: columns.map(({ items }, i) => (items.length === 1 ? (types[starts[i] as number] ?? '') : 'Tuple')),
    results: rows.slice(0, limit).map(row),
    hasMore: rows.length > limit,
    limit,
    offset,
    elapsedMs,
  }
}
