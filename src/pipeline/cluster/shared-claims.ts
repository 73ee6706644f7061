import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { LogRange, Position } from '../../log/index.ts'
import type { EventDraft } from '../steps/step.ts'

/**
 * What `UuidsUnderWay` is within a process, between processes: an event that was sent to two partitions is stored once, also when two
 * processes decide about it at the same moment.
 *
 * A batch asks ClickHouse first, as everywhere; what it cannot see there is what others have decided since it asked, or decided before
 * and not yet delivered. All of that is claimed: a claim is written by the transaction that decides, and stays for a while after the rows
 * have arrived. Claims are looked at and written one transaction at a time, as the last thing of it, so of two that meet the second sees
 * the first; it is rolled back and done again without the event.
 */
export interface AskedAt {
  /** Postgres' time up to which ClickHouse knew everything when it was asked. */
  readonly at: string
  /** The same moment by our own clock. */
  readonly locally: number
}

/** A replica may answer that has not heard yet of what another took so long ago. */
const REPLICAS_LAG_SECONDS = 30
/** So long claims stay after their rows have arrived; a batch that takes half as long asks again. */
const KEPT_MINUTES = 10

export async function noteAsking(sql: Sql, { replicated }: { readonly replicated: boolean }): Promise<AskedAt> {
  const locally = Date.now()
  const lag = replicated ? REPLICAS_LAG_SECONDS : 0
  const [row] = await sql<[{ at: string }]>`SELECT (clock_timestamp() - make_interval(secs => ${lag}))::text AS at`
  return { at: row.at, locally }
}

export const askedTooLongAgo = ({ locally }: AskedAt): boolean => Date.now() - locally > (KEPT_MINUTES / 2) * MINUTE

/** Some events of the batch are claimed elsewhere: it has to be done again without them. */
export class ClaimedElsewhere extends Error {
  override name = 'ClaimedElsewhere'
  readonly keys: ReadonlySet<string>
  constructor(keys: ReadonlySet<string>) {
    super(`${keys.size} events are being stored by another partition`)
    this.keys = keys
  }
}

interface ClaimedEvent {
  readonly draft: Pick<EventDraft, 'project' | 'uuid' | 'clientUuid'>
}

export const claimKey = ({ draft }: ClaimedEvent): string => `${draft.project.id} ${draft.uuid}`

export async function claimUuids(
  tx: TransactionSql,
  { partition, next }: LogRange,
  events: readonly ClaimedEvent[],
  asked: AskedAt,
): Promise<void> {
  const own = events.filter(({ draft }) => draft.clientUuid)
  if (own.length === 0) return
  const projects = own.map(({ draft }) => draft.project.id)
  const uuids = own.map(({ draft }) => draft.uuid)
  await tx`SELECT pg_advisory_xact_lock(hashtext('footfall uuid claims'))`
  const met = await tx<{ project: number; uuid: string }[]>`
    SELECT DISTINCT own.project, own.uuid
    FROM uuid_claims c, unnest(c.projects, c.uuids) AS claimed (project, uuid)
    JOIN unnest(${projects}::int[], ${uuids}::uuid[]) AS own (project, uuid) USING (project, uuid)
    WHERE c.settled_at IS NULL OR c.settled_at >= ${asked.at}::text::timestamptz`
  if (met.length > 0) throw new ClaimedElsewhere(new Set(met.map(({ project, uuid }) => `${project} ${uuid}`)))
  await tx`
    INSERT INTO uuid_claims (partition, position, projects, uuids)
    VALUES (${partition}, ${next}, ${projects}::int[], ${uuids}::uuid[])`
}

/** The rows of everything up to a position are in ClickHouse. */
export async function settleClaims(sql: Sql, partition: string, upTo: Position): Promise<void> {
  await sql`
    UPDATE uuid_claims SET settled_at = clock_timestamp()
    WHERE partition = ${partition} AND position <= ${upTo} AND settled_at IS NULL`
  await sql`
    DELETE FROM uuid_claims
    WHERE partition = ${partition} AND settled_at < clock_timestamp() - make_interval(mins => ${KEPT_MINUTES})`
}
