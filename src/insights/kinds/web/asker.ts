import type { Fragment } from '../../../engines/clickhouse-sql.ts'

/** Whoever runs the statements of a question: `run.ts` hands it to the tables, which ask one or two each. */
export interface Asker {
  ask<Row>(statement: Fragment): Promise<Row[]>
}
