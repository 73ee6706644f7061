import { copyOut, type Sql, type Statements } from '../engines/postgres/index.ts'
import type { Manifest } from './manifest.ts'
import type { WriteFile } from './packed-file.ts'
import { sequencesOf, type Table, tablesOf } from './postgres-tables.ts'

type Dumped = Manifest['postgres'] & { readonly positions: ReadonlyMap<string, number> }

/** Writes every table as of a snapshot, in the text format of COPY, which every newer server reads. */
export async function dumpPostgres(sql: Sql, snapshot: string, write: WriteFile): Promise<Dumped> {
  const session = await sql.reserve()
  try {
    await session`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
    // The server made this id, of hexadecimal digits and dashes; the statement takes no parameters.
    await session.unsafe(`SET TRANSACTION SNAPSHOT '${snapshot.replaceAll(/[^0-9A-F-]/g, '')}'`)
    const began = await beganAt(session)
    const [{ server }] = await session<[{ server: string }]>`SELECT current_setting('server_version') AS server`
    const migrations = await session<{ number: number }[]>`SELECT number FROM schema_migrations ORDER BY number`
    const positions = await session<
      { partition: string; position: number }[]
    >`SELECT partition, position FROM pipeline_positions`
    const tables: Manifest['postgres']['tables'] = []
    for (const table of await tablesOf(session)) tables.push(await dumpTable(session, table, write))
    const sequences = await sequencesOf(session)
    // A lost connection would be replaced silently, by one without the snapshot.
    if ((await beganAt(session)) !== began)
      throw new Error('The connection to PostgreSQL was lost: run the backup again.')
    await session`COMMIT`
    return {
      server,
      migrations: migrations.map(({ number }) => number),
      tables,
      sequences,
      positions: new Map(positions.map(({ partition, position }) => [partition, position])),
    }
  } finally {
    session.release()
  }
}

async function dumpTable(sql: Statements, { name, columns }: Table, write: WriteFile) {
  const [{ rows }] = await sql<[{ rows: number }]>`SELECT count(*) AS rows FROM ${sql(name)}`
  const file = await write(`postgres/${name}.copy.gz`, copyOut(sql, name, columns))
  return { name, columns: [...columns], rows, file }
}

async function beganAt(sql: Statements): Promise<string> {
  const [{ began }] = await sql<[{ began: string }]>`SELECT pg_backend_pid() || ' ' || now() AS began`
  return began
}
