import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../lib/logger.ts'
import type { Sql, Statements } from './sql.ts'

/**
 * Numbered SQL files (`002_identity.sql`), each applied once, in order, in a transaction of its own, and recorded with
 * the checksum of its text. An applied file never changes: a change is a new file.
 *
 * A file that begins with `-- without a transaction` is for indexes of large tables, which are made while others write
 * (CONCURRENTLY). Its statements run one by one and are recorded after the last: when that is interrupted, all of them
 * run again, so each must be able to. With a line `-- needs the extension NAME` it is left out where the server does not
 * have that extension: what it makes faster stays slow there.
 */
const FOLDER = fileURLToPath(new URL('./migrations', import.meta.url))

/** An arbitrary number that others on the server are unlikely to use: "footfall" in ASCII. */
const LOCK = '7381240360083975276'
const LOCK_POLL_MS = 50
const ALONE = '-- without a transaction\n'
const NEEDED = /^-- needs the extension (\w+)$/m
/** How long a statement that others must make room for waits for them, for instance for a backup to end. */
const PATIENCE = '30min'

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
      await apply(sql, migration, log)
      log.info({ migration: migration.name }, 'migrated Postgres')
    }
  })
}

/**
 * One process at a time migrates (Postgres and ClickHouse alike); the others wait. The lock belongs to a connection
 * that does nothing else, so it ends with it: a crash frees it. `work` uses other connections of the pool. Whoever
 * waits asks again and again instead of waiting in Postgres, and no transaction is open meanwhile: an index that is made
 * while others write waits for every snapshot to end, also for those of waiting processes.
 */
export async function withMigrationLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const session = await sql.reserve()
  try {
    while (!(await session`SELECT pg_try_advisory_lock(${LOCK}::bigint) AS mine`)[0]?.mine) await delay(LOCK_POLL_MS)
    try {
      return await work()
    } finally {
      // The connection goes back to the pool, and must not take the lock with it. One that is lost has none.
      await session`SELECT pg_advisory_unlock(${LOCK}::bigint)`.catch(() => {})
    }
  } finally {
    session.release()
  }
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

async function apply(sql: Sql, migration: Migration, log: Logger): Promise<void> {
  const { number, name, text, checksum } = migration
  if (text.startsWith(ALONE)) return applyAlone(sql, migration, log)
  try {
    await sql.begin(async (tx) => {
      await tx.unsafe(text).simple()
      await tx`INSERT INTO schema_migrations ${tx({ number, name, checksum })}`
    })
  } catch (error) {
    throw new Error(`Migration ${name} failed and was rolled back: ${(error as Error).message}`, { cause: error })
  }
}

async function applyAlone(sql: Sql, { number, name, text, checksum }: Migration, log: Logger): Promise<void> {
  const session = await sql.reserve()
  try {
    await session`SELECT set_config('lock_timeout', ${PATIENCE}, false), set_config('statement_timeout', '0', false)`
    const needed = NEEDED.exec(text)?.[1]
    const isLeftOut = needed !== undefined && !(await hasExtension(session, needed))
    if (isLeftOut)
      log.warn({ migration: name, extension: needed }, 'left out: the server does not have the extension it needs')
    const statements = isLeftOut ? [] : text.replaceAll(/^--.*$/gm, '').split(';')
    for (const statement of statements) if (statement.trim() !== '') await session.unsafe(statement).simple()
    await session`INSERT INTO schema_migrations ${session({ number, name, checksum })}`
  } catch (error) {
    throw new Error(`Migration ${name} failed, and is tried again at the next start: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await session
      .unsafe('RESET lock_timeout; RESET statement_timeout')
      .simple()
      .catch(() => {})
    session.release()
  }
}

/** Whether the extension can be used here. The owner of a database may add those that are trusted. */
async function hasExtension(session: Statements, name: string): Promise<boolean> {
  await session`CREATE EXTENSION IF NOT EXISTS ${session(name)}`.catch(() => {})
  const found = await session`
    SELECT 1 FROM pg_extension WHERE extname = ${name} AND extnamespace::regnamespace::name = ANY(current_schemas(true))`
  return found.length > 0
}
