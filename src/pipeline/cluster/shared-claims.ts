import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { LogRange, Position } from '../../log/index.ts'
import type { PipelineEvent } from '../steps/step.ts'

/**
 * Does between processes what `UuidsInProgress` does within one: an event that was sent to two partitions is stored
 * once, even when two processes decide about it at the same moment.
 *
 * A batch looks in ClickHouse first. It cannot see there what others have decided since, or have decided and not
 * delivered yet. All of that is claimed: the transaction that decides writes a claim, and the claim stays for a while
 * after the rows have been delivered. Claims are read and written under a lock at the end of the transaction, so the
 * second of two transactions sees the claims of the first; it is rolled back and run again without the event.
 */
export interface LookupTime {
  /** Postgres' time up to which ClickHouse had everything when it was queried. */
  readonly at: string
  /** The same moment by our own clock. */
  readonly locally: number
}

/** A replica may lag this far behind the one that took the insert. */
const REPLICAS_LAG_SECONDS = 30
/**
 * How long claims stay after their rows have been delivered. A batch that takes half as long looks in ClickHouse again.
 */
const KEPT_MINUTES = 10

export async function lookupTime(sql: Sql, { replicated }: { readonly replicated: boolean }): Promise<LookupTime> {
  const locally = Date.now()
  const lag = replicated ? REPLICAS_LAG_SECONDS : 0
  const [row] = await sql<[{ at: string }]>`SELECT (clock_timestamp() - make_interval(secs => ${lag}))::text AS at`
  return { at: row.at, locally }
}

export const lookupTooOld = ({ locally }: LookupTime): boolean => Date.now() - locally > (KEPT_MINUTES / 2) * MINUTE

/** Other processes have claimed some events of the batch: it must run again without them. */
export class ClaimedElsewhere extends Error {
  override name = 'ClaimedElsewhere'
  readonly keys: ReadonlySet<string>
  constructor(keys: ReadonlySet<string>) {
    super(`${keys.size} events are being stored by another partition`)
    this.keys = keys
  }
}

interface ClaimedEvent {
  readonly event: Pick<PipelineEvent, 'project' | 'uuid' | 'clientUuid'>
}

export const claimKey = ({ event }: ClaimedEvent): string => `${event.project.id} ${event.uuid}`

export async function claimUuids(
  tx: TransactionSql,
  { partition, next }: LogRange,
  events: readonly ClaimedEvent[],
  lookup: LookupTime,
): Promise<void> {
  const own = events.filter(({ event }) => event.clientUuid)
  if (own.length === 0) return
  const projects = own.map(({ event }) => event.project.id)
  const uuids = own.map(({ event }) => event.uuid)
  await tx`SELECT pg_advisory_xact_lock(hashtext('footfall uuid claims'))`
  const met = await tx<{ project: number; uuid: string }[]>`
    SELECT DISTINCT own.project, own.uuid
    FROM uuid_claims c, unnest(c.projects, c.uuids) AS claimed (project, uuid)
    JOIN unnest(${projects}::int[], ${uuids}::uuid[]) AS own (project, uuid) USING (project, uuid)
    WHERE c.settled_at IS NULL OR c.settled_at >= ${lookup.at}::text::timestamptz`
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
