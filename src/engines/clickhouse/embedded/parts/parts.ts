import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Session } from 'chdb'
import { literal } from '../sessions/set-statement.ts'

/** A part of a table, as the engine describes it. */
export interface Part {
  readonly database: string
  readonly table: string
  readonly name: string
  readonly partition_id: string
  readonly path: string
  /** Of the blocks in it; those of one insert are the same number. */
  readonly first: number
  readonly last: number
  /** The last mutation applied to it, or its first block. */
  readonly version: number
  readonly marks_bytes: number
  readonly data_bytes: number
}

const COLUMNS = `database, table, name, partition_id, path, toUInt32(min_block_number) AS first, toUInt32(max_block_number) AS last,
  toUInt32(data_version) AS version, toUInt32(marks_bytes) AS marks_bytes, toFloat64(data_compressed_bytes) AS data_bytes`

/** The parts created since a time, in milliseconds. */
export const activeParts = (engine: Session, since: number): Promise<Part[]> =>
  partsWhere(engine, `active AND modification_time >= fromUnixTimestamp(${Math.floor(since / 1000)})`)

/** Also for a table that sorts the rows of one insert, which the engine counts as a merge. */
export const isOfOneInsert = ({ first, last, version }: Part): boolean => first === last && version === first

export const nameOf = ({ database, table }: Part): string => `\`${database}\`.\`${table}\``

/** The engine's own check of a part, which reads all of it. */
export async function isWhole(engine: Session, part: Part): Promise<boolean> {
  const check = `CHECK TABLE ${nameOf(part)} PART ${literal(part.name)} SETTINGS check_query_single_value_result = 1`
  return (await engine.queryAsync(check, { format: 'TabSeparated' })).text().trim() === '1'
}

/**
 * Whether its marks and data have the size on disk that the engine expects. A part that was removed meanwhile counts as
 * whole.
 */
export async function hasItsSizes({ path: folder, marks_bytes, data_bytes }: Part): Promise<boolean> {
  const names = await readdir(folder).catch(() => null)
  if (names === null) return true
  const bytesOf = async (chosen: (name: string) => boolean) => {
    const sizes = names.filter(chosen).map(async (name) => (await stat(path.join(folder, name))).size)
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }
  try {
    const marks = await bytesOf((name) => /\.c?mrk\d?$/.test(name) && !name.startsWith('skp_'))
    return marks === marks_bytes && (await bytesOf((name) => name.endsWith('.bin'))) === data_bytes
  } catch {
    return (await readdir(folder).catch(() => null)) === null
  }
}

/** Whether its source parts still exist. */
export async function hasItsSources(engine: Session, part: Part): Promise<boolean> {
  const { database, table, partition_id, first, last, name } = part
  const sources = await partsWhere(
    engine,
    `NOT active AND database = ${literal(database)} AND table = ${literal(table)} AND partition_id = ${literal(partition_id)}
     AND min_block_number >= ${first} AND max_block_number <= ${last} AND name != ${literal(name)}`,
  )
  return sources.length > 0
}

async function partsWhere(engine: Session, condition: string): Promise<Part[]> {
  const found = await engine.queryAsync(
    `SELECT ${COLUMNS} FROM system.parts WHERE ${condition} AND database NOT IN ('system', '_local')`,
    { format: 'JSONEachRow' },
  )
  return found
    .text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
