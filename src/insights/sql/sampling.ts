/** A share of the actors, always the same ones, so that funnels and uniques stay whole for those who are in. */
import { type Fragment, sql, uint } from '../../engines/clickhouse-sql.ts'
import type { EventScope } from './event-scope.ts'

const GRAIN = 1_000_000

export const sampled = (scope: EventScope, factor: number | undefined): Fragment[] =>
  factor === undefined
    ? []
    : [sql`cityHash64(${scope.person()}) % ${uint(GRAIN)} < ${uint(Math.round(factor * GRAIN))}`]
