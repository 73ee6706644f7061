import type { Sql } from '../../engines/postgres/index.ts'
import type { InsightContext } from '../../insights/index.ts'

/** What looking for recordings needs. */
export interface RecordingsContext {
  readonly sql: Sql
  readonly insight: InsightContext
  readonly retentionDays: number
  /** Whose views count for `hideViewed`. */
  readonly userId: number | null
  readonly signal?: AbortSignal | undefined
}
