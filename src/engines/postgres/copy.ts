import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Statements } from './sql.ts'

/** Streams a table in the text format of COPY. Only for names of ours: COPY takes no parameters. */
export async function* copyOut(sql: Statements, table: string, columns: readonly string[]): AsyncGenerator<Buffer> {
  const rows = await sql`COPY ${sql(table)} (${sql(columns)}) TO STDOUT`.readable()
  yield* rows
  // The library pauses its socket when rows come faster than they are read, and resumes it at the next read. After the
  // last rows there is no next read, and the server's following messages would never be received.
  rows._read(0)
}

/** Loads what `copyOut` returned. */
export async function copyIn(
  sql: Statements,
  table: string,
  columns: readonly string[],
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const copy = await sql`COPY ${sql(table)} (${sql(columns)}) FROM STDIN`.writable()
  await pipeline(Readable.from(rows, { objectMode: false }), copy)
}
