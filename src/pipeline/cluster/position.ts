import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import type { LogRange, Position } from '../../log/index.ts'

/** Another process runs the partition: its position or its lease has changed. */
export class LostPartition extends Error {
  override name = 'LostPartition'
}

interface KeptPosition {
  readonly position: Position
  /** The end of the range whose rows were being inserted, if any. */
  readonly intended: Position | null
}

export async function readPosition(sql: Sql, partition: string): Promise<KeptPosition> {
  const [row] = await sql<KeptPosition[]>`
    SELECT position, intended FROM pipeline_positions WHERE partition = ${partition}`
  return row ?? { position: 0, intended: null }
}

/** Moves the position over a range, in the transaction that applies it. */
export async function movePosition(
  tx: TransactionSql,
  { partition, from, next }: LogRange,
  epoch: number | null = null,
): Promise<void> {
  await refuseFormerOwner(tx, partition, epoch)
  const moved = await tx`
    INSERT INTO pipeline_positions AS old (partition, position) VALUES (${partition}, ${next})
    ON CONFLICT (partition) DO UPDATE SET position = excluded.position, intended = NULL, updated_at = now() WHERE old.position = ${from}
    RETURNING 1`
  if (moved.length === 0) throw new LostPartition(`partition ${partition} is no longer at ${from}`)
}

/** Stores which range comes next, before its rows are inserted: after a crash exactly this range is done again. */
export async function intendRange(
  tx: TransactionSql,
  { partition, from, next }: LogRange,
  epoch: number | null = null,
): Promise<void> {
  await refuseFormerOwner(tx, partition, epoch)
  const stored = await tx`
    INSERT INTO pipeline_positions AS old (partition, position, intended) VALUES (${partition}, ${from}, ${next})
    ON CONFLICT (partition) DO UPDATE SET intended = excluded.intended, updated_at = now()
      WHERE old.position = ${from} AND coalesce(old.intended, ${next}) = ${next}
    RETURNING 1`
  if (stored.length === 0) throw new LostPartition(`partition ${partition} is no longer at ${from}`)
}

/** A process that takes over waits for this transaction to end; afterwards the former owner fails here. */
async function refuseFormerOwner(tx: TransactionSql, partition: string, epoch: number | null): Promise<void> {
  if (epoch === null) return
  const [ours] = await tx`
    SELECT 1 FROM partition_leases WHERE partition = ${partition} AND epoch = ${epoch} FOR SHARE`
  if (!ours) throw new LostPartition(`partition ${partition} has another owner`)
}
