import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { CHUNK_COLUMNS, type ChunkRow, chunkRowsAsBinary } from '../../recordings/index.ts'
import { type DeliveryContext, untilTaken } from '../shared/deliver.ts'

const TABLE = 'recording_chunks'

export interface RefusedChunk {
  readonly row: ChunkRow
  readonly error: string
}

/**
 * Delivers chunks to ClickHouse as `deliver` does with lines of JSON: retries as long as needed, and a bad row costs
 * only itself.
 */
export async function deliverChunks(
  clickhouse: ClickHouse,
  rows: readonly ChunkRow[],
  token: string,
  context: DeliveryContext,
): Promise<RefusedChunk[]> {
  if (rows.length === 0) return []
  const bytes = chunkRowsAsBinary(rows)
  const insert = () => clickhouse.insert(TABLE, bytes, { token, binaryColumns: CHUNK_COLUMNS })
  const refusal = await untilTaken(TABLE, token, insert, context)
  if (!refusal) return []
  if (rows.length === 1) {
    context.log.error({ table: TABLE, error: refusal.message }, 'a row was refused by ClickHouse')
    return [{ row: rows[0] as ChunkRow, error: refusal.message }]
  }
  const middle = rows.length >> 1
  return [
    ...(await deliverChunks(clickhouse, rows.slice(0, middle), `${token}/a`, context)),
    ...(await deliverChunks(clickhouse, rows.slice(middle), `${token}/b`, context)),
  ]
}
