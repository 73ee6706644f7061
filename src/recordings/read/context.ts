import type { Sql } from '../../engines/postgres/index.ts'
import type { InsightContext } from '../../insights/index.ts'

/** What a search for recordings needs. */
export interface RecordingsContext {
  readonly sql: Sql
  readonly insight: InsightContext
  readonly retentionDays: number
  /** The user whose views count for `hideViewed`. */
  readonly userId: number | null
  readonly signal?: AbortSignal | undefined
}
