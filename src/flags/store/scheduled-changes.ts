/** Changes of flags that are made when their time has come. */
import type { Recurrence } from '../../contract/resources/flag-management.ts'
import { isTroubleOfPostgres, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import { type Json, stringifyJson } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { type ChangePayload, fieldsOfScheduled, nextOccurrence } from '../check/scheduled.ts'
import { changeFlagIn } from './save-flag.ts'

export interface SavedChange {
  readonly id: number
  readonly project_id: number
  readonly record_id: string
  readonly payload: Json
  readonly scheduled_at: Date
  /** What later times of a recurring change are counted from; null: `scheduled_at`. */
  readonly first_at: Date | null
  readonly executed_at: Date | null
  readonly failure_reason: string | null
  readonly is_recurring: boolean
  readonly recurrence_interval: Recurrence | null
  readonly end_date: Date | null
  readonly last_executed_at: Date | null
  readonly created_by: number | null
  readonly created_at: Date
  readonly updated_at: Date
}

export interface ChangeFields {
  readonly payload: ChangePayload
  readonly scheduled_at: Date
  readonly is_recurring: boolean
  readonly recurrence_interval: Recurrence | null
  readonly end_date: Date | null
}

export async function listChanges(
  sql: Sql,
  project: number,
  { recordId, limit, offset }: { recordId?: string | undefined; limit: number; offset: number },
): Promise<{ count: number; changes: readonly SavedChange[] }> {
  const where = sql`project_id = ${project} AND model_name = 'FeatureFlag'
    ${recordId === undefined ? sql`` : sql`AND record_id = ${recordId.replaceAll('\0', '')}`}`
  const changes = await sql<SavedChange[]>`
    SELECT * FROM scheduled_changes WHERE ${where} ORDER BY scheduled_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM scheduled_changes WHERE ${where}`
  return { count: total?.count ?? 0, changes: [...changes] }
}

export async function findChange(sql: Sql, project: number, id: string): Promise<SavedChange | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined
  const [found] = await sql<SavedChange[]>`
    SELECT * FROM scheduled_changes WHERE project_id = ${project} AND id = ${Number(id)}`
  return found
}

export async function scheduleChange(
  sql: Sql,
  { project, userId, recordId }: { project: number; userId: number; recordId: string },
  fields: ChangeFields,
): Promise<SavedChange> {
  const [created] = await sql<SavedChange[]>`
    INSERT INTO scheduled_changes (project_id, record_id, payload, scheduled_at, is_recurring, recurrence_interval, end_date, created_by)
    VALUES (${project}, ${recordId}, ${stringifyJson(fields.payload)}::text::jsonb, ${fields.scheduled_at}, ${fields.is_recurring},
      ${fields.recurrence_interval}, ${fields.end_date}, ${userId}) RETURNING *`
  return created as SavedChange
}

/** With another time, or other intervals, a recurring change begins anew. */
export async function rescheduleChange(sql: Sql, id: number, fields: ChangeFields): Promise<SavedChange> {
  const [written] = await sql<SavedChange[]>`
    UPDATE scheduled_changes SET payload = ${stringifyJson(fields.payload)}::text::jsonb, scheduled_at = ${fields.scheduled_at},
      is_recurring = ${fields.is_recurring}, recurrence_interval = ${fields.recurrence_interval},
      end_date = ${fields.end_date}, updated_at = now(),
      first_at = CASE WHEN (scheduled_at, is_recurring, recurrence_interval) IS NOT DISTINCT FROM
        (${fields.scheduled_at}::timestamptz, ${fields.is_recurring}::boolean, ${fields.recurrence_interval}::text) THEN first_at END
    WHERE id = ${id} RETURNING *`
  return written as SavedChange
}

export const removeChange = async (sql: Sql, id: number): Promise<void> => {
  await sql`DELETE FROM scheduled_changes WHERE id = ${id}`
}

const AT_ONCE = 100

/**
 * Makes the changes whose time has come, the oldest first. Each is made and marked in one transaction. One that recurs
 * is made again at its next time, also when it could not be made now.
 */
export async function runScheduledChanges({ sql, log }: { sql: Sql; log: Logger }, now: Date): Promise<number> {
  const due = await sql<{ id: number }[]>`
    SELECT id FROM scheduled_changes WHERE executed_at IS NULL AND scheduled_at <= ${now}
    ORDER BY scheduled_at, id LIMIT ${AT_ONCE}`
  for (const { id } of due) {
    try {
      await sql.begin((tx) => makeChange(tx, id, now))
    } catch (error) {
      // One that fails must not keep the others from being made.
      if (isTroubleOfPostgres(error)) throw error
      log.warn({ change: id, err: error }, 'a scheduled change of a flag could not be made')
      const reason = error instanceof InvalidInput ? withoutNul(error.message) : 'It could not be made: see the log.'
      await sql.begin(async (tx) => {
        const change = await takeDue(tx, id, now)
        if (change) await markMade(tx, change, now, reason)
      })
    }
  }
  return due.length
}

async function makeChange(tx: TransactionSql, id: number, now: Date): Promise<void> {
  const change = await takeDue(tx, id, now)
  if (!change) return
  const writer = { projectId: change.project_id, userId: change.created_by }
  const changed = await changeFlagIn(tx, writer, change.record_id, (flag) => {
    if (flag.deleted) throw new InvalidInput('The flag has been deleted.')
    return fieldsOfScheduled(change.payload as unknown as ChangePayload, flag)
  })
  if (!changed) throw new InvalidInput('The flag does not exist.')
  await markMade(tx, change, now, null)
}

/** Undefined: somebody has made it, moved it or taken it back meanwhile. */
async function takeDue(tx: TransactionSql, id: number, now: Date): Promise<SavedChange | undefined> {
  const [change] = await tx<SavedChange[]>`
    SELECT * FROM scheduled_changes WHERE id = ${id} AND executed_at IS NULL AND scheduled_at <= ${now} FOR UPDATE`
  return change
}

async function markMade(tx: TransactionSql, change: SavedChange, now: Date, failure: string | null): Promise<void> {
  const { id, recurrence_interval: every, is_recurring, end_date, scheduled_at } = change
  const first = change.first_at ?? scheduled_at
  const next = is_recurring && every !== null ? nextOccurrence(first, every, now) : null
  const goesOn = next !== null && (end_date === null || next <= end_date)
  await tx`
    UPDATE scheduled_changes SET last_executed_at = ${now}, failure_reason = ${failure}, updated_at = now(),
      scheduled_at = ${goesOn ? next : scheduled_at}, first_at = ${goesOn ? first : change.first_at},
      executed_at = ${goesOn ? null : now}
    WHERE id = ${id}`
}
