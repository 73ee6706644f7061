import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { openClickHouse } from '../engines/clickhouse/index.ts'
import { openPostgres } from '../engines/postgres/index.ts'
import type { Logger } from '../lib/logger.ts'
import { dumpClickHouse } from './dump-clickhouse.ts'
import { dumpLog } from './dump-log.ts'
import { dumpPostgres } from './dump-postgres.ts'
import { type ManifestContent, NoBackup, writeManifest } from './manifest.ts'
import type { Moment } from './moment.ts'
import { type FileMark, type WriteFile, writePacked } from './packed-file.ts'

/**
 * Writes a moment of a service to a folder, as plain rows that any PostgreSQL and ClickHouse can load, embedded or
 * servers.
 *
 *   unfinished  everything is written to a folder beside the target, named `.unfinished-`; the manifest comes last
 *               -> complete  the folder is renamed to the target: a folder with that name is complete
 *               -> removed   it failed or was aborted; a crash leaves the unfinished folder
 */
interface TakeOptions {
  /** The target: does not exist yet, or is empty. */
  readonly folder: string
  readonly moment: Moment
  readonly log: Logger
  readonly signal: AbortSignal
  readonly onProgress?: (progress: TakeProgress) => void
}

interface TakeProgress {
  readonly what: string
  /** Read from the engines so far. */
  readonly bytes: number
}

export async function takeBackup(options: TakeOptions): Promise<{ bytes: number; files: number }> {
  const { folder, moment, log, signal, onProgress } = options
  await refuseFull(folder)
  const unfinished = `${folder}.unfinished-${process.pid}`
  await mkdir(path.dirname(folder), { recursive: true })
  // A backup holds everything: only its owner may read it.
  await mkdir(unfinished, { mode: 0o700 })
  const files: Record<string, FileMark> = {}
  let bytes = 0
  const write: WriteFile = async (name, source) => {
    files[name] = await writePacked(path.join(unfinished, name), source, (more) => {
      signal.throwIfAborted()
      bytes += more
      onProgress?.({ what: name, bytes })
    })
    return name
  }
  try {
    const content = await dumpAll(moment, { write, log, signal })
    await writeManifest(unfinished, { ...content, files })
    for (const part of await readdir(unfinished, { recursive: true, withFileTypes: true }))
      if (part.isDirectory()) await syncFolder(path.join(part.parentPath, part.name))
    await syncFolder(unfinished)
    signal.throwIfAborted()
    await giveName(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  return { bytes: Object.values(files).reduce((sum, file) => sum + file.bytes, 0), files: Object.keys(files).length }
}

async function dumpAll(
  moment: Moment,
  { write, log, signal }: { write: WriteFile; log: Logger; signal: AbortSignal },
): Promise<Omit<ManifestContent, 'files'>> {
  const sql = await openPostgres(moment.postgres, { log, max: 2 })
  const clickhouse = openClickHouse({ ...moment.clickhouse, log })
  try {
    const { positions, ...postgres } = await dumpPostgres(sql, moment.snapshot, write)
    return {
      footfall: await ownVersion(),
      taken_at: moment.at,
      postgres,
      clickhouse: await dumpClickHouse(clickhouse, { tables: moment.tables, write, log, signal }),
      log: await dumpLog(moment.log, positions, write),
    }
  } finally {
    await clickhouse.close()
    await sql.end({ timeout: 1 })
  }
}

async function refuseFull(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw new NoBackup(`${folder} is a file: name a folder that does not exist yet.`)
    throw error
  })
  if (names.length > 0)
    throw new NoBackup(`${folder} is not empty, and a backup never overwrites: name a folder that does not exist yet.`)
}

async function giveName(unfinished: string, folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(unfinished, folder)
  await syncFolder(path.dirname(folder))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

async function ownVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}
