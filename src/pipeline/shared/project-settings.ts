import type { Sql } from '../../engines/postgres/index.ts'
import type { ProjectSettings } from '../steps/step.ts'

const FRESH_FOR_MS = 2_000

/**
 * The settings of all projects, read again every two seconds, and at once when a batch names a project that is not
 * among them.
 */
export function projectSettings(sql: Sql): (wanted: Iterable<number>) => Promise<ReadonlyMap<number, ProjectSettings>> {
  let known = new Map<number, ProjectSettings>()
  let readAt = 0
  return async (wanted) => {
    const stale = Date.now() - readAt > FRESH_FOR_MS || [...wanted].some((id) => !known.has(id))
    if (!stale) return known
    const rows = await sql<ProjectSettings[]>`
      SELECT id, anonymize_ips AS "anonymizeIps", drop_events_older_than_seconds AS "dropEventsOlderThanSeconds", ingested_event AS "ingestedEvent",
        recording_retention_days AS "recordingRetentionDays", recording_quota_per_month AS "recordingQuotaPerMonth"
      FROM projects`
    known = new Map(rows.map((row) => [row.id, row]))
    readAt = Date.now()
    return known
  }
}
