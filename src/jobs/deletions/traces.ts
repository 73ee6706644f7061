import {
  type ClickHouse,
  sql as ch,
  type MutationWatch,
  mutate,
  Param,
  strings,
  uint,
  uuids,
} from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { inPieces } from '../../lib/in-pieces.ts'
import { idHash, idHashInPostgres } from './id-hash.ts'
import type { Deletion } from './queue.ts'

interface Context {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly watch: MutationWatch
}

/**
 * Erases the data of a person besides events and recordings: merge history, samples of warnings, dead letters, the
 * history of changes made through the API, stored query results, older versions of its copy in ClickHouse.
 */
export async function eraseTraces(
  { sql, clickhouse, watch }: Context,
  project: number,
  deletion: Deletion,
): Promise<void> {
  const { idHashes, requestedAt } = deletion
  const hashes = [...idHashes]
  const known = [deletion.personUuid, ...deletion.formerUuids]
  const isTheirs = (column: string) => sql`${idHashInPostgres(sql, column)} = ANY(${hashes}::text[])`
  const speaksOfThem = (column: string) => sql`EXISTS (
    SELECT 1 FROM jsonb_path_query(${sql(column)}, 'strict $.** ? (@.type() == "string")') AS found
    WHERE encode(sha256(convert_to(found #>> '{}', 'UTF8')), 'hex') = ANY(${hashes}::text[]))`
  await sql`
    DELETE FROM person_merges WHERE project_id = ${project} AND merged_at <= ${requestedAt}
      AND (person_uuid = ANY(${known}::uuid[]) OR merged_person_uuid = ANY(${known}::uuid[])
        OR ${isTheirs('distinct_id')} OR ${isTheirs('other_distinct_id')})`
  await sql`
    DELETE FROM ingestion_warning_samples WHERE project_id = ${project} AND timestamp <= ${requestedAt}
      AND (${isTheirs('distinct_id')} OR ${speaksOfThem('details')})`
  await sql`
    DELETE FROM deferred_person_updates
    WHERE project_id = ${project} AND updated_at <= ${requestedAt} AND ${isTheirs('distinct_id')}`
  await sql`
    DELETE FROM feature_flag_hash_keys
    WHERE project_id = ${project} AND created_at <= ${requestedAt} AND (${isTheirs('distinct_id')} OR ${isTheirs('hash_key')})`
  await sql`
    DELETE FROM person_event_moves
    WHERE project_id = ${project} AND created_at <= ${requestedAt} AND ${isTheirs('distinct_id')}`
  // The entry keeps who made the change and when; the values are erased.
  await sql`
    UPDATE activity_log SET detail = jsonb_build_object('name', null, 'short_id', null, 'changes', '[]'::jsonb, 'trigger', null, 'type', null)
    WHERE project_id = ${project} AND scope = 'Person'
      AND (item_id NOT IN (SELECT id::text FROM persons WHERE project_id = ${project}) OR ${speaksOfThem('detail')})`
  await sql`DELETE FROM async_queries WHERE project_id = ${project}`
  await sql`DELETE FROM live_batches`
  await eraseDeadLetters(sql, project, new Set(hashes))
  await eraseOldCopies({ sql, clickhouse, watch }, project, known)
}

const LETTERS_AT_ONCE = 200
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g

/** A dead letter is stored as it came, in any form: it belongs to the person when it contains one of its ids. */
async function eraseDeadLetters(sql: Sql, project: number, hashes: ReadonlySet<string>): Promise<void> {
  for (let after = 0; ; ) {
    const letters = await sql<{ id: number; payload: string }[]>`
      SELECT id, payload FROM dead_letters WHERE project_id IN (0, ${project}) AND id > ${after} ORDER BY id LIMIT ${LETTERS_AT_ONCE}`
    const theirs = letters.filter(({ payload }) => textsIn(payload).some((text) => hashes.has(idHash(text))))
    if (theirs.length > 0) await sql`DELETE FROM dead_letters WHERE id = ANY(${theirs.map(({ id }) => id)}::bigint[])`
    const last = letters.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

const textsIn = (payload: string): string[] =>
  [...payload.matchAll(JSON_TEXT)].flatMap(([text]) => {
    try {
      return [JSON.parse(text) as string]
    } catch {
      return []
    }
  })

/** A mutation stays short, as in marked-events.ts. */
const UUIDS_IN_MUTATION = 2_000

/** Only the highest version of a person counts; older ones disappear when parts are merged, which may be much later. */
async function eraseOldCopies(
  { sql, clickhouse, watch }: Context,
  project: number,
  known: readonly string[],
): Promise<void> {
  const gone = await sql<{ uuid: string; version: number }[]>`
    SELECT uuid, version FROM person_tombstones WHERE project_id = ${project} AND uuid = ANY(${[...known]}::uuid[])`
  for (const some of inPieces(gone, UUIDS_IN_MUTATION)) {
    const ids = some.map(({ uuid }) => uuid)
    const versions = new Param(
      'Array(UInt64)',
      some.map(({ version }) => version),
    )
    const where = ch`project_id = ${uint(project)} AND id IN ${uuids(ids)} AND is_deleted = 0
      AND version <= transform(toString(id), ${strings(ids)}, ${versions}, toUInt64(0))`
    await mutate(clickhouse, { table: 'persons', change: ch`DELETE`, where }, watch)
  }
}
