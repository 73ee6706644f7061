import type { Settings } from '../../engines/clickhouse/index.ts'
import type { OutboxInsert } from '../../engines/outbox.ts'

/** An insert as ClickHouse gets it: lines of JSON, or rows in binary. */
export interface Delivery {
  readonly table: string
  /** Identifies these rows: ClickHouse inserts rows under one token once. */
  readonly token: string
  /** The columns of binary rows. */
  readonly columns?: readonly string[]
  readonly settings?: Settings
  readonly count: number
  /** The bytes to send. Throws when one of the rows cannot be written. */
  encode(): Buffer
  /** The rows of a part of them, for when one is refused. */
  part(from: number, to: number, token: string): Delivery
  /** The first row as JSON, to be read by people. */
  text(): string
}

export function linesOfJson({ table, token, rows }: OutboxInsert): Delivery {
  const lines = () => rows.toString('utf8').split('\n').filter(Boolean)
  return {
    table,
    token,
    get count() {
      return lines().length
    },
    encode: () => rows,
    part: (from, to, part) =>
      linesOfJson({ table, token: part, rows: Buffer.from(`${lines().slice(from, to).join('\n')}\n`) }),
    text: () => lines()[0] ?? '',
  }
}

export interface RowsToEncode<Row> {
  readonly table: string
  readonly token: string
  /** The columns of binary rows; without them `encode` gives lines of JSON. */
  readonly columns?: readonly string[]
  readonly settings?: Settings
  readonly items: readonly Row[]
  encode(items: readonly Row[]): Buffer
  textOf(item: Row): string
}

export const encodedRows = <Row>(given: RowsToEncode<Row>): Delivery => ({
  table: given.table,
  token: given.token,
  ...(given.columns ? { columns: given.columns } : {}),
  ...(given.settings ? { settings: given.settings } : {}),
  count: given.items.length,
  encode: () => given.encode(given.items),
  part: (from, to, token) => encodedRows({ ...given, token, items: given.items.slice(from, to) }),
  text: () => given.items.slice(0, 1).map(given.textOf).join(''),
})
