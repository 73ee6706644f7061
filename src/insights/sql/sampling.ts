/** A share of the actors, always the same ones, so that funnels and uniques stay whole for those who are in. */
import { type Fragment, sql, uint } from '../../engines/clickhouse-sql.ts'
import type { EventScope } from './event-scope.ts'

const GRAIN = 1_000_000

/** `offset`: where the share begins, so that another share can be looked at; it goes round at the end. */
export function sampled(scope: EventScope, factor: number | undefined, offset = 0): Fragment[] {
  if (factor === undefined) return []
  const place = sql`cityHash64(${scope.person()})`
  const from = offset === 0 ? place : sql`(${place} % ${uint(GRAIN)} + ${uint(GRAIN - Math.round(offset * GRAIN))})`
  return [sql`${from} % ${uint(GRAIN)} < ${uint(Math.round(factor * GRAIN))}`]
}
