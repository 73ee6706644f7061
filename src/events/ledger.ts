import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { stringifyJson } from '../lib/json.ts'
import type { Warning } from './captured.ts'

/**
 * The ledger: counts of everything that was dropped, changed or refused. One row for each warning type, with its newest
 * samples.
 */
const SAMPLES_KEPT = 50

export interface ProjectWarning extends Warning {
  readonly project: number
  readonly at: number
}

/** Adds a batch of warnings. Rows are locked in a fixed order, so that two partitions never deadlock. */
export async function recordWarnings(tx: TransactionSql, warnings: readonly ProjectWarning[]): Promise<void> {
  if (warnings.length === 0) return
  const reasons = [...countByReason(warnings).values()].sort(
    (a, b) => a.project - b.project || (a.type < b.type ? -1 : 1),
  )
  const samples = reasons.flatMap(({ newest }) => newest)
  await tx`
    INSERT INTO ingestion_warnings AS ledger (project_id, type, count, first_seen, last_seen)
    SELECT project, type, count, first, last FROM jsonb_to_recordset(${tx.json(reasons.map(({ newest: _, ...row }) => row))})
      AS t(project int, type text, count bigint, first timestamptz, last timestamptz)
    WHERE project IN (SELECT id FROM projects)
    ORDER BY project, type
    ON CONFLICT (project_id, type) DO UPDATE SET
      count = ledger.count + excluded.count, last_seen = greatest(ledger.last_seen, excluded.last_seen)`
  await tx`
    INSERT INTO ingestion_warning_samples (project_id, type, timestamp, event, distinct_id, uuid, details)
    SELECT project, type, at, event, distinct_id, uuid, details FROM jsonb_to_recordset(${storable(samples)}::text::jsonb)
      AS t(project int, type text, at timestamptz, event text, distinct_id text, uuid text, details jsonb)
    WHERE project IN (SELECT id FROM projects)`
  await tx`
    DELETE FROM ingestion_warning_samples old
    USING jsonb_to_recordset(${tx.json(reasons.map(({ project, type }) => ({ project, type })))}) AS touched(project int, type text)
    WHERE old.project_id = touched.project AND old.type = touched.type AND old.id <= (
      SELECT id FROM ingestion_warning_samples newest
      WHERE newest.project_id = touched.project AND newest.type = touched.type
      ORDER BY id DESC OFFSET ${SAMPLES_KEPT} LIMIT 1)`
}

interface Reason {
  readonly project: number
  readonly type: string
  count: number
  first: string
  last: string
  newest: ProjectWarning[]
}

function countByReason(warnings: readonly ProjectWarning[]): Map<string, Reason> {
  const reasons = new Map<string, Reason>()
  for (const warning of warnings) {
    const key = `${warning.project} ${warning.type}`
    const at = new Date(warning.at).toISOString()
    const reason = reasons.get(key) ?? {
      project: warning.project,
      type: warning.type,
      count: 0,
      first: at,
      last: at,
      newest: [],
    }
    reason.count += warning.count ?? 1
    if (at < reason.first) reason.first = at
    if (at > reason.last) reason.last = at
    reason.newest.push(warning)
    if (reason.newest.length > SAMPLES_KEPT) reason.newest.shift()
    reasons.set(key, reason)
  }
  return reasons
}

/**
 * Postgres' jsonb takes neither NUL nor half a surrogate pair; samples are only for reading, so such characters are
 * replaced.
 */
const storable = (samples: readonly ProjectWarning[]): string =>
  stringifyJson(
    samples.map(({ project, type, at, event, distinctId, uuid, details }) => ({
      project,
      type,
      at: new Date(at).toISOString(),
      event,
      distinct_id: distinctId,
      uuid,
      details,
    })),
  ).replace(/\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, '\\ufffd')

interface LedgerRow {
  readonly type: string
  readonly count: number
  readonly first_seen: Date
  readonly last_seen: Date
  readonly samples: readonly LedgerSample[]
}

interface LedgerSample {
  readonly timestamp: Date
  readonly event: string | null
  readonly distinct_id: string | null
  readonly uuid: string | null
  readonly details: Record<string, unknown>
}

export async function readLedger(sql: Sql, project: number): Promise<LedgerRow[]> {
  const rows = await sql<Omit<LedgerRow, 'samples'>[]>`
    SELECT type, count, first_seen, last_seen FROM ingestion_warnings WHERE project_id = ${project} ORDER BY last_seen DESC, type`
  const samples = await sql<(LedgerSample & { type: string })[]>`
    SELECT type, timestamp, event, distinct_id, uuid, details FROM ingestion_warning_samples
    WHERE project_id = ${project} ORDER BY id DESC`
  return rows.map((row) => ({
    ...row,
    count: Number(row.count),
    samples: samples
      .filter(({ type }) => type === row.type)
      .slice(0, SAMPLES_KEPT)
      .map(({ type: _, ...sample }) => sample),
  }))
}
