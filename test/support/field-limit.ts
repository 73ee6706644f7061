import { type ClickHouse, Fragment, render } from '../../src/engines/clickhouse/index.ts'

/** `http_max_field_value_size` of a server. */
const MOST_BYTES = 128 * 1024

/** An engine that refuses long form fields, as a server does and the embedded engine does not. */
export function withFieldLimit(clickhouse: ClickHouse): ClickHouse {
  function check(statement: Fragment | string): void {
    const { query_params } = statement instanceof Fragment ? render(statement) : { query_params: {} }
    for (const value of Object.values(query_params)) {
      const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
      if (Buffer.byteLength(text) > MOST_BYTES) throw new Error('Field value too long')
    }
  }
  return {
    ...clickhouse,
    query: async (fragment, options) => {
      check(fragment)
      return clickhouse.query(fragment, options)
    },
    command: async (statement, options) => {
      check(statement)
      return clickhouse.command(statement, options)
    },
  }
}
