/** What answering a question needs from outside. */
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Instant } from '../../lib/zone.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { PropertyTypeOf } from '../hogql/view.ts'
import type { WeekStart } from '../plan/interval.ts'

export interface InsightProject {
  readonly id: number
  readonly timezone: string
  readonly week_start_day: WeekStart
  /** As stored: the same forms as a query's `properties`. */
  readonly test_account_filters: unknown
}

export interface InsightContext {
  readonly clickhouse: ClickHouse
  readonly project: InsightProject
  readonly now: Instant
  /** False spares every question the join with merged persons. */
  readonly hasOverrides: boolean
  /** The project's actions and cohorts; none when absent. */
  readonly definitions?: Definitions | undefined
  /** What properties were seen to be: asked only when a question holds an expression. Texts where nobody can say. */
  propertyTypes?(): Promise<PropertyTypeOf>
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
}
