import type { ClickHouse, QueryOptions } from './client.ts'
import { shareSlots } from './questions.ts'

/**
 * The client for work that ends when the signal is aborted: whatever it asks ends with it. Inserts do not: they are
 * short, and one that is left alone would go on in the server while its caller no longer keeps others away.
 */
export function untilAborted(signal: AbortSignal, clickhouse: ClickHouse): ClickHouse {
  const until = <T extends QueryOptions>(options?: T) => ({ ...options, signal: either(signal, options?.signal) })
  const bound: ClickHouse = {
    ...clickhouse,
    query: (fragment, options) => clickhouse.query(fragment, until(options)),
    stream: (fragment, options) => clickhouse.stream(fragment, until(options)),
    native: (fragment, options) => clickhouse.native(fragment, until(options)),
    command: (statement, options) => clickhouse.command(statement, until(options)),
  }
  shareSlots(bound, clickhouse)
  return bound
}

/** A signal that lives long keeps something of each that is made of it: none is made without need. */
const either = (signal: AbortSignal, own: AbortSignal | undefined): AbortSignal =>
  own === undefined || own === signal ? signal : AbortSignal.any([signal, own])
