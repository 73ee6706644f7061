import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../lib/logger.ts'
import type { Sql } from './sql.ts'

/**
 * Numbered SQL files (`002_identity.sql`), each applied once, in order, in a transaction of its own, and recorded with
 * the checksum of its text. An applied file never changes: a change is a new file.
 */
const FOLDER = fileURLToPath(new URL('./migrations', import.meta.url))

/** An arbitrary number that others on the server are unlikely to use: "footfall" in ASCII. */
const LOCK = '7381240360083975276'

interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly checksum: string
}

/** `only`: applies just these, for a restore. */
export async function applyPostgresMigrations(
  sql: Sql,
  log: Logger,
  { folder = FOLDER, only }: { readonly folder?: string; readonly only?: readonly number[] | undefined } = {},
): Promise<void> {
  const migrations = await readMigrations(folder)
  await withMigrationLock(sql, async () => {
    await sql`
      CREATE TABLE IF NOT EXISTS schema_migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`
    for (const migration of await notYetApplied(sql, migrations)) {
      if (only?.includes(migration.number) === false) continue
      await apply(sql, migration)
      log.info({ migration: migration.name }, 'migrated Postgres')
    }
  })
}

/**
 * One process at a time migrates (Postgres and ClickHouse alike); the others wait. The lock belongs to a transaction
 * that does nothing else, so it ends with its connection: a crash frees it. `work` uses other connections of the pool.
 */
export async function withMigrationLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return await sql.begin(async (tx) => {
    await tx`SET LOCAL idle_in_transaction_session_timeout = 0`
    await tx`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`
    return await work()
  })
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { number: Number.parseInt(name, 10), name, text, checksum }
    }),
  )
}

async function notYetApplied(sql: Sql, migrations: readonly Migration[]): Promise<Migration[]> {
  const applied = await sql<
    Omit<Migration, 'text'>[]
  >`SELECT number, name, checksum FROM schema_migrations ORDER BY number`
  const newest = Math.max(0, ...migrations.map(({ number }) => number))
  for (const { number, name, checksum } of applied) {
    if (number > newest)
      throw new Error(
        `The database is newer than this Footfall: it has migration ${name}. Start the Footfall that made it, or a newer one.`,
      )
    const file = migrations.find((migration) => migration.number === number)
    if (file?.checksum !== checksum)
      throw new Error(
        `Migration ${name} was applied to the database but ${file ? `${file.name} now has another text` : 'is missing here'}. Restore the file; a change is a new migration.`,
      )
  }
  const done = new Set(applied.map(({ number }) => number))
  return migrations.filter(({ number }) => !done.has(number))
}

async function apply(sql: Sql, { number, name, text, checksum }: Migration): Promise<void> {
  try {
    await sql.begin(async (tx) => {
      await tx.unsafe(text).simple()
      await tx`INSERT INTO schema_migrations ${tx({ number, name, checksum })}`
    })
  } catch (error) {
    throw new Error(`Migration ${name} failed and was rolled back: ${(error as Error).message}`, { cause: error })
  }
}
