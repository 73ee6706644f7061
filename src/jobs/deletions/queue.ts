import type { MutationProgress } from '../../engines/clickhouse/index.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { nextSundayAtFive } from '../when.ts'
import { idHash } from './id-hash.ts'

/** A request to erase the data of a person: waits for the weekly run, and is its receipt afterwards. */
export interface Deletion {
  readonly id: number
  readonly project: number
  readonly kind: 'person'
  readonly personUuid: string
  /** Uuids of persons merged into it: events may still have them. */
  readonly formerUuids: readonly string[]
  /** Of the person's distinct ids (id-hash.ts). */
  readonly idHashes: readonly string[]
  readonly deleteEvents: boolean
  readonly deleteRecordings: boolean
  readonly requestedByEmail: string
  readonly requestedAt: Date
  readonly scheduledFor: Date
  readonly status: 'pending' | 'done'
  readonly ranAt: Date | null
  readonly eventsDeleted: number | null
  readonly recordingsDeleted: number | null
  readonly verified: boolean | null
  readonly error: string | null
  /** While ClickHouse erases. */
  readonly progress: MutationProgress | null
}

interface DeletionRequest {
  readonly project: number
  readonly personUuid: string
  readonly formerUuids: readonly string[]
  readonly distinctIds: readonly string[]
  readonly deleteEvents: boolean
  readonly deleteRecordings: boolean
  readonly requestedBy: { readonly id: number; readonly email: string }
}

/**
 * Requests the deletion, in the transaction that deletes the person. When a person appears again and is deleted again,
 * the open request is extended.
 */
export async function requestDeletion(tx: TransactionSql, request: DeletionRequest, now: Date): Promise<void> {
  await tx`
    INSERT INTO deletions AS open (project_id, person_uuid, former_uuids, id_hashes, delete_events, delete_recordings,
      requested_by, requested_by_email, scheduled_for)
    VALUES (${request.project}, ${request.personUuid}, ${[...request.formerUuids]}::uuid[], ${request.distinctIds.map(idHash)}::text[],
      ${request.deleteEvents}, ${request.deleteRecordings}, ${request.requestedBy.id}, ${request.requestedBy.email}, ${nextSundayAtFive(now)})
    ON CONFLICT (project_id, person_uuid) WHERE status = 'pending' DO UPDATE SET
      former_uuids = ARRAY(SELECT DISTINCT unnest(open.former_uuids || excluded.former_uuids)),
      id_hashes = ARRAY(SELECT DISTINCT unnest(open.id_hashes || excluded.id_hashes)),
      delete_events = open.delete_events OR excluded.delete_events,
      delete_recordings = open.delete_recordings OR excluded.delete_recordings,
      requested_by = excluded.requested_by, requested_by_email = excluded.requested_by_email, requested_at = date_trunc('milliseconds', clock_timestamp())`
}

const columns = (sql: Sql) => sql`
  id, project_id AS project, kind, person_uuid AS "personUuid", former_uuids AS "formerUuids", id_hashes AS "idHashes",
  delete_events AS "deleteEvents", delete_recordings AS "deleteRecordings", requested_by_email AS "requestedByEmail",
  requested_at AS "requestedAt", scheduled_for AS "scheduledFor", status, ran_at AS "ranAt", events_deleted AS "eventsDeleted",
  recordings_deleted AS "recordingsDeleted", verified, error, progress`

/** Newest first. */
export async function listDeletions(
  sql: Sql,
  {
    project,
    limit = 1_000,
    offset = 0,
  }: { readonly project?: number; readonly limit?: number; readonly offset?: number } = {},
): Promise<{ count: number; deletions: Deletion[] }> {
  const where = project === undefined ? sql`true` : sql`project_id = ${project}`
  const [counted] = await sql<[{ count: number }]>`SELECT count(*) AS count FROM deletions WHERE ${where}`
  const deletions = await sql<Deletion[]>`
    SELECT ${columns(sql)} FROM deletions WHERE ${where} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`
  return { count: counted.count, deletions: [...deletions] }
}

/** Open requests of one project, oldest first: those that are due, or all; without those that were tried. */
export async function openDeletions(
  sql: Sql,
  { dueBy, limit, except }: { readonly dueBy: Date | null; readonly limit: number; readonly except: readonly number[] },
): Promise<Deletion[]> {
  const open = () => sql`
    status = 'pending' AND id <> ALL(${[...except]}::bigint[]) ${dueBy === null ? sql`` : sql`AND scheduled_for <= ${dueBy}`}`
  return await sql<Deletion[]>`
    SELECT ${columns(sql)} FROM deletions
    WHERE ${open()} AND project_id = (SELECT project_id FROM deletions WHERE ${open()} ORDER BY id LIMIT 1)
    ORDER BY id LIMIT ${limit}`
}

/** What was erased in the last weeks, by project. */
export async function recentReceipts(sql: Sql): Promise<Map<number, Deletion[]>> {
  const found = await sql<Deletion[]>`
    SELECT ${columns(sql)} FROM deletions
    WHERE status = 'done' AND delete_events AND ran_at > now() - interval '15 days' ORDER BY id DESC LIMIT 5000`
  const byProject = new Map<number, Deletion[]>()
  for (const receipt of found) byProject.set(receipt.project, [...(byProject.get(receipt.project) ?? []), receipt])
  return byProject
}

/** Receipts of earlier versions, which erased only events, oldest first. */
export const receiptsWithTraces = (sql: Sql): Promise<Deletion[]> => sql<Deletion[]>`
  SELECT ${columns(sql)} FROM deletions
  WHERE status = 'done' AND delete_events AND traces_erased_at IS NULL ORDER BY id LIMIT 1000`

/** As the API and the command line show it. */
export const deletionRecord = (deletion: Deletion) => ({
  id: deletion.id,
  kind: deletion.kind,
  project_id: deletion.project,
  person_uuid: deletion.personUuid,
  delete_events: deletion.deleteEvents,
  delete_recordings: deletion.deleteRecordings,
  requested_at: deletion.requestedAt,
  requested_by: deletion.requestedByEmail,
  scheduled_for: deletion.scheduledFor,
  status: deletion.status,
  ran_at: deletion.ranAt,
  events_deleted: deletion.eventsDeleted,
  recordings_deleted: deletion.recordingsDeleted,
  verified: deletion.verified,
  error: deletion.error,
  progress: deletion.progress && {
    table: deletion.progress.table,
    parts: deletion.progress.parts,
    parts_left: deletion.progress.partsLeft,
    servers_left: deletion.progress.serversLeft,
  },
})
