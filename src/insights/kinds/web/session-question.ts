import type { WebFields } from './fields.ts'
import type { TableRow } from './table.ts'
import type { Part } from './totals.ts'

/** A question that sessions answer by themselves: which parts it has, and what their rows say. */
export interface SessionQuestion<K extends 'WebOverviewQuery' | 'WebStatsTableQuery' | 'WebTrendsQuery'> {
  readonly parts: readonly Part[]
  answer(rows: readonly (readonly TableRow[])[]): WebFields<K>
}
