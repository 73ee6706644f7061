import { execFile } from 'node:child_process'
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { commandAs, type RunAs } from '../../run-as.ts'
import { environmentOf, type PostgresBinaries } from './binaries.ts'

/**
 * Who may connect to the embedded server: one role with a password, which owns its database and has no rights over the
 * server or the machine. The superuser cannot connect at all. What only it can do (create the role and its database) is
 * done here, by the server in single-user mode.
 *
 *   open      as initdb or version 0.1 left it: everyone who reaches the socket is superuser
 *             -> secured  the role and its objects are created, then pg_hba.conf is written, last: the start after an
 *                         interrupted one finds another file and does everything again
 */
export const SERVICE_ROLE = 'footfall_service'
export const DATABASE = 'postgres'

const WHO_MAY_CONNECT = `# Written by Footfall. Nobody else can connect, the superuser neither.
local ${DATABASE} ${SERVICE_ROLE} scram-sha-256
`

interface Cluster {
  readonly cluster: string
  readonly binaries: PostgresBinaries
  readonly runAs: RunAs
}

const listOf = (cluster: string) => path.join(cluster, 'pg_hba.conf')

/** `secretFile` holds the password of the role, readable for its owner only. */
export async function isSecured(cluster: string, secretFile: string): Promise<boolean> {
  return existsSync(secretFile) && (await readFile(listOf(cluster), 'utf8').catch(() => '')) === WHO_MAY_CONNECT
}

/** Must be called while no server runs on the cluster. */
export async function secureCluster(given: Cluster, secretFile: string, fresh: boolean): Promise<void> {
  if (await isSecured(given.cluster, secretFile)) return
  const secret = randomBytes(32).toString('base64url')
  await putInPlace(secretFile, secret)
  // A fresh cluster is synced as a whole before it gets its name.
  await inSingleUserMode(given, statements(secret), fresh ? ['-c', 'fsync=off'] : [])
  await putInPlace(listOf(given.cluster), WHO_MAY_CONNECT, given.runAs)
}

/** One statement a line. Each may be run again. */
function statements(secret: string): string[] {
  const role = SERVICE_ROLE
  return [
    `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role}; END IF; END $$`,
    `ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${verifier(secret)}'`,
    `ALTER DATABASE ${DATABASE} OWNER TO ${role}`,
    // What version 0.1 created as superuser. Indexes and the sequences of columns follow their table.
    `DO $$ DECLARE name text; BEGIN FOR name IN ${TABLES} LOOP EXECUTE 'ALTER TABLE ' || name || ' OWNER TO ${role}'; END LOOP; END $$`,
    `DO $$ DECLARE name text; BEGIN FOR name IN ${ROUTINES} LOOP EXECUTE 'ALTER ROUTINE ' || name || ' OWNER TO ${role}'; END LOOP; END $$`,
  ]
}

const TABLES = `SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND c.relowner <> '${SERVICE_ROLE}'::regrole AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')`

const ROUTINES = `SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proowner <> '${SERVICE_ROLE}'::regrole`

/**
 * The server's verifier of a password. The password is random and long, so more iterations would only slow down
 * connections.
 */
function verifier(secret: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(secret, salt, 1, 32, 'sha256')
  const key = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(key('Client Key')).digest('base64')
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`
}

async function inSingleUserMode(
  { cluster, binaries, runAs }: Cluster,
  lines: readonly string[],
  settings: readonly string[],
): Promise<void> {
  const programArgs = ['--single', '-D', cluster, '-c', 'exit_on_error=on', ...settings, DATABASE]
  const { file, args, ...options } = commandAs(runAs, environmentOf(binaries), binaries.postgres, programArgs)
  await new Promise<void>((done, fail) => {
    const server = execFile(file, args, options, (error, _, stderr) =>
      error
        ? fail(new Error(`the roles of ${cluster} could not be set up: ${stderr.trim() || error.message}`))
        : done(),
    )
    server.stdin?.on('error', () => {}).end(`${lines.join('\n')}\n`)
  })
}

/** Written completely or not at all, also after a power cut; readable for its owner only. */
async function putInPlace(file: string, text: string, { uid, gid }: Partial<RunAs> = {}): Promise<void> {
  await rm(`${file}.new`, { force: true })
  const handle = await open(`${file}.new`, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    if (uid !== undefined) await handle.chown(uid, gid ?? uid)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
  const folder = await open(path.dirname(file))
  await folder.sync().finally(() => folder.close())
}
