import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { killed, startElsewhere } from '../../../../test/support/embedded-elsewhere.ts'
import { createLogger } from '../../../lib/logger.ts'
import { commandAs } from '../../run-as.ts'
import { openPostgres } from '../client.ts'
import { isRetryable } from '../retryable.ts'
import type { Sql } from '../sql.ts'
import { inTransaction } from '../transactions.ts'
import { findBinaries, type PostgresBinaries, packageHome } from './binaries.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts'

const log = createLogger('silent')
const root = process.geteuid?.() === 0

let dataDir: string
let running: EmbeddedPostgres[] = []
let pools: Sql[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'footfall-embedded-'))
})

afterEach(async () => {
  await Promise.all(pools.map((sql) => sql.end({ timeout: 1 })))
  await Promise.all(running.map((embedded) => embedded.stop()))
  pools = []
  running = []
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

async function start(options: { dataDir?: string; binaries?: PostgresBinaries } = {}) {
  const embedded = await startEmbeddedPostgres({ dataDir, log, ...options })
  running.push(embedded)
  const sql = await openPostgres(embedded.connection, { log })
  pools.push(sql)
  return { embedded, sql }
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The user a process runs as, seen from here. */
const userOf = async (pid: number | undefined): Promise<number> =>
  Number(/^Uid:\s+\d+\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])

/** The programs in a folder of the given mode. */
async function copyOfBinaries(mode: number): Promise<PostgresBinaries> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-bin-'))
  const closed = path.join(folder, 'home')
  await mkdir(closed, { mode })
  await findBinaries(path.join(folder, 'lib'))
  await cp(path.join(packageHome(`${process.platform}-${process.arch}`), 'native'), closed, {
    recursive: true,
    verbatimSymlinks: true,
  })
  const bin = path.join(closed, 'bin')
  return { postgres: path.join(bin, 'postgres'), initdb: path.join(bin, 'initdb'), env: {} }
}

describe('settings', () => {
  it('is durable, checksummed, UTF-8, and listens on a private socket only', async () => {
    const { sql, embedded } = await start()
    const names = 'fsync synchronous_commit full_page_writes data_checksums server_encoding listen_addresses TimeZone'
    const rows = await sql`SELECT name, setting FROM pg_settings WHERE name = ANY(${names.split(' ')})`
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      server_encoding: 'UTF8',
      listen_addresses: '',
      TimeZone: 'UTC',
    })
    expect(await sql`SELECT lower('ÄÉ') AS low, 'Z' < 'a' AS bytewise`).toEqual([{ low: 'äé', bytewise: true }])
    expect(embedded.connection.host).toBe(path.join(dataDir, 'postgres'))
  })
})

/** The nobody of tests. */
const SOMEBODY = 54_321

describe('who runs the server', () => {
  it.runIf(root)('as root: the owner of the data folder, where it can reach the programs', async () => {
    const data = await mkdtemp(path.join(os.tmpdir(), 'footfall-owned-'))
    await chown(data, SOMEBODY, SOMEBODY)
    const binaries = await copyOfBinaries(0o755)
    await chmod(path.resolve(binaries.postgres, '../../..'), 0o755)
    const { sql, embedded } = await start({ dataDir: data, binaries })
    expect(await userOf(embedded.pid)).toBe(SOMEBODY)
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    await sql.end()
    await embedded.stop()
    await rm(data, { recursive: true })
    await rm(path.resolve(binaries.postgres, '../../..'), { recursive: true })
  })

  it.runIf(root)(
    'as root: a user namespace, when its owner cannot reach the programs, and the data are moved along',
    async () => {
      await chown(dataDir, SOMEBODY, SOMEBODY)
      const first = await start()
      await first.sql`CREATE TABLE kept AS SELECT 42 AS answer`
      await first.sql.end()
      await first.embedded.stop()
      const binaries = await copyOfBinaries(0o700)
      const { sql, embedded } = await start({ binaries })
      expect(await userOf(embedded.pid)).toBe(0)
      expect(await readFile(`/proc/${embedded.pid}/uid_map`, 'utf8')).toMatch(/^\s*65534\s+0\s+1\n$/)
      expect(await sql`SELECT answer FROM kept`).toEqual([{ answer: 42 }])
      await sql.end()
      await embedded.stop()
      await rm(path.resolve(binaries.postgres, '../../..'), { recursive: true })
    },
  )

  it('an ordinary user runs it as itself (when root runs the tests: as another user)', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-user-'))
    // With an account, unlike SOMEBODY: initdb wants one.
    const nobody = { uid: 65_534, gid: 65_534 }
    if (root) await chown(folder, nobody.uid, nobody.gid)
    const runAs = { name: 'nobody', prefix: [], ...(root ? nobody : {}) }
    const elsewhere = await startElsewhere(folder, (program, args) => commandAs(runAs, {}, program, args))
    expect(await userOf(elsewhere.serverPid)).toBe(await userOf(elsewhere.pid))
    await killed(elsewhere.process, 'SIGTERM')
    expect(elsewhere.process.exitCode).toBe(0)
    await rm(folder, { recursive: true })
  })
})

describe('who may connect', () => {
  it('the service, by its password, without power over the server or the machine', async () => {
    const { sql, embedded } = await start()
    const [role] = await sql`SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles
      WHERE rolname = current_user`
    expect(new Set(Object.values(role ?? {}))).toEqual(new Set([false]))
    await expect(sql`SELECT pg_read_file('/etc/hostname')`).rejects.toThrow('permission denied')
    await expect(sql`COPY (SELECT 1) TO PROGRAM 'cat'`).rejects.toThrow('permission denied')
    const { connection } = embedded
    for (const [stranger, answer] of [
      [{ password: 'guess' }, 'password authentication failed'],
      [{ password: '' }, 'password authentication failed'],
      [{ user: 'footfall' }, 'no pg_hba.conf entry'],
      [{ user: 'postgres' }, 'no pg_hba.conf entry'],
      [{ database: 'template1' }, 'no pg_hba.conf entry'],
    ] as const)
      await expect(openPostgres({ ...connection, ...stranger }, { log })).rejects.toThrow(answer)
    const { mode } = await stat(path.join(dataDir, 'postgres', 'secret'))
    expect(mode & 0o777).toBe(0o600)
  })

  it('a secret that was lost is made anew', async () => {
    const first = await start()
    await first.sql.end()
    await first.embedded.stop()
    await rm(path.join(dataDir, 'postgres', 'secret'))
    const second = await start()
    expect(second.embedded.connection.password).not.toBe(first.embedded.connection.password)
    expect(await second.sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
  })
})

describe('deaths', () => {
  it('the server of a killed Footfall is stopped, and the next one finds what was committed', async () => {
    const first = await startElsewhere(dataDir)
    const sql = await openPostgres(first.connection, { log })
    await sql`CREATE TABLE kept AS SELECT 42 AS answer`
    await sql.end()
    await killed(first.process, 'SIGKILL')
    expect(alive(first.serverPid)).toBe(true)
    const second = await start()
    expect(second.embedded.pid).not.toBe(first.serverPid)
    expect(await second.sql`SELECT answer FROM kept`).toEqual([{ answer: 42 }])
  })

  it('starts after Footfall and the server were killed together', async () => {
    const first = await startElsewhere(dataDir)
    process.kill(first.serverPid, 'SIGKILL')
    await killed(first.process, 'SIGKILL')
    const { sql } = await start()
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
  })

  it('starts when a backend of a killed server is still deep in a query', async () => {
    const first = await startElsewhere(dataDir)
    const sql = await openPostgres(first.connection, { log })
    // Streamed: a function in FROM would gather its rows in a temporary file.
    const endless = sql`SELECT sum(a) FROM (SELECT generate_series(1, 10000000000) AS a) AS series`.catch(
      (error: Error) => error,
    )
    await expect
      .poll(
        async () => (await sql`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%series%' AND state = 'active'`).count,
      )
      .toBeGreaterThan(1)
    process.kill(first.serverPid, 'SIGKILL')
    await killed(first.process, 'SIGKILL')
    const second = await start()
    expect(await second.sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    expect(isRetryable(await endless)).toBe(true)
    await sql.end({ timeout: 1 })
  })

  it('a killed server comes back, and a pool that was at work recovers and loses nothing', async () => {
    const { sql, embedded } = await start()
    await sql`CREATE TABLE counted (n integer PRIMARY KEY)`
    let committed = 0
    const writer = async (first: number) => {
      for (let n = first; n < first + 100; n += 1) {
        await inTransaction(sql, (tx) => tx`INSERT INTO counted VALUES (${n}) ON CONFLICT DO NOTHING`, {
          idempotent: true,
          // On a busy machine recovery takes longer than the tries of real work would bridge.
          retries: 100,
        })
        committed += 1
      }
    }
    let reading = true
    const reader = async () => {
      while (reading)
        await sql`SELECT count(*) AS n FROM counted`.catch((error) => {
          if (!isRetryable(error)) throw error
        })
    }
    const writers = Promise.all([0, 1000, 2000, 3000, 4000, 5000].map(writer))
    const readers = Promise.all([reader(), reader(), reader()])
    for (const moment of [50, 250]) {
      await expect.poll(() => committed, { interval: 1 }).toBeGreaterThan(moment)
      const pid = await embedded.whenReady().then(() => embedded.pid as number)
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => embedded.pid, { interval: 5 }).not.toBe(pid)
    }
    await writers
    reading = false
    await readers
    expect(await sql`SELECT count(*) AS n FROM counted`).toEqual([{ n: 600 }])
    // A start that fails on a busy machine is tried again.
    expect(embedded.restarts).toBeGreaterThanOrEqual(2)
    expect(embedded.state).toBe('ready')
  })
})

describe('places', () => {
  it('a folder too deep for a socket gets a short private one', async () => {
    const deep = path.join(dataDir, 'd'.repeat(60), 'e'.repeat(60))
    const { sql, embedded } = await start({ dataDir: deep })
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    expect(embedded.connection.host.length).toBeLessThan(90)
    await rm(embedded.connection.host, { recursive: true, force: true })
  })

  it('keeps its data over a stop, and leaves no process', async () => {
    const first = await start()
    await first.sql`CREATE TABLE kept AS SELECT 42 AS answer`
    const pid = first.embedded.pid as number
    await first.sql.end()
    await first.embedded.stop()
    expect(alive(pid)).toBe(false)
    expect(await (await start()).sql`SELECT answer FROM kept`).toEqual([{ answer: 42 }])
  })

  it('a cluster that was left half made is made anew', async () => {
    await mkdir(path.join(dataDir, 'postgres', 'cluster.new', 'base'), { recursive: true })
    expect(await (await start()).sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
  })
})
