import { createHash } from 'node:crypto'
import { sql as ch, type Fragment } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'

/**
 * Distinct ids are often e-mail addresses, and a request to delete a person would store them: in its receipt, and in
 * ClickHouse's list of mutations. So requests store hashes, computed the same way in three places: here, in ClickHouse
 * and in Postgres.
 */
export const idHash = (distinctId: string): string => createHash('sha256').update(distinctId, 'utf8').digest('hex')

export const idHashInClickHouse: Fragment = ch`lower(hex(SHA256(distinct_id)))`

export const idHashInPostgres = (sql: Sql, column: string) =>
  sql`encode(sha256(convert_to(${sql(column)}, 'UTF8')), 'hex')`
