import { once } from 'node:events'
import { PassThrough, type Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { csvLine } from '../../lib/csv.ts'
import { exactDigits } from '../../lib/json.ts'

/**
 * Records as CSV: every nested value has a column of its own, named by its path (`properties.email`, `distinct_ids.0`),
 * and columns are sorted by name. What a record lacks is an empty cell.
 */
export function flatten(record: unknown): Map<string, string> {
  const cells = new Map<string, string>()
  const visit = (value: unknown, path: string): void => {
    if (value === undefined) return
    if (value === null) return void cells.set(path, '')
    if (value instanceof Date) return void cells.set(path, value.toISOString())
    if (typeof value !== 'object') return void cells.set(path, exactDigits(value) ?? String(value))
    for (const [key, inner] of Object.entries(value)) visit(inner, path === '' ? key : `${path}.${key}`)
  }
  visit(record, '')
  return cells
}

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Reads the records twice, once for the columns and once for the rows, and holds only a page of them at a time. */
export async function writeCsv(out: Writable, pages: () => AsyncIterable<readonly unknown[]>): Promise<void> {
  const columns = new Set<string>()
  for await (const page of pages())
    for (const record of page) for (const column of flatten(record).keys()) columns.add(column)
  if (columns.size === 0) return
  const header = [...columns].sort(byCodePoint)
  await write(out, csvLine(header))
  for await (const page of pages()) {
    const lines = page.map((record) => {
      const cells = flatten(record)
      return csvLine(header.map((column) => cells.get(column) ?? ''))
    })
    await write(out, lines.join(''))
  }
}

async function write(out: Writable, text: string): Promise<void> {
  if (out.destroyed) throw new Error('the reader of the CSV went away')
  if (!out.write(text)) await room(out)
}

/** When there is room again, or nobody reads any more. Listens to one of the two in vain, so it stops listening. */
async function room(out: Writable): Promise<void> {
  const done = new AbortController()
  try {
    await Promise.race(['drain', 'close'].map((event) => once(out, event, { signal: done.signal })))
  } finally {
    done.abort()
  }
}

/**
 * Answers with CSV that is written while it is read. What fails in the middle ends the connection: half a file must not
 * look whole.
 */
export function sendCsv(reply: FastifyReply, name: string, fill: (out: Writable) => Promise<void>): FastifyReply {
  const out = new PassThrough()
  fill(out).then(
    () => out.end(),
    (error: Error) => out.destroy(error),
  )
  return csvFile(reply, name).send(out)
}

/** An answer that browsers keep as a file. */
export const csvFile = (reply: FastifyReply, name: string): FastifyReply =>
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}.csv"`)

/** An answer of any endpoint as CSV: the results of a list, or the one record there is. */
export function csvOf(answer: unknown): (out: Writable) => Promise<void> {
  const results = (answer as { results?: unknown }).results
  const records = Array.isArray(answer) ? answer : Array.isArray(results) ? results : [answer]
  return (out) =>
    writeCsv(out, async function* () {
      yield records
    })
}
