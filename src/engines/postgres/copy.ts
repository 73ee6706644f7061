import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Statements } from './sql.ts'

/** A table in the text form of COPY, as it comes. Names only: COPY takes no parameters. */
export async function* copyOut(sql: Statements, table: string, columns: readonly string[]): AsyncGenerator<Buffer> {
  const rows = await sql`COPY ${sql(table)} (${sql(columns)}) TO STDOUT`.readable()
  yield* rows
  // The library pauses its socket when rows come faster than they are read, and resumes it when asked for more. When the last ones have
  // come nobody asks any more, and what the server says next would never be read.
  rows._read(0)
}

/** The way back. */
export async function copyIn(
  sql: Statements,
  table: string,
  columns: readonly string[],
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const copy = await sql`COPY ${sql(table)} (${sql(columns)}) FROM STDIN`.writable()
  await pipeline(Readable.from(rows, { objectMode: false }), copy)
}
