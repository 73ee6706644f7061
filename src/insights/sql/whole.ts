import { Fragment } from '../../engines/clickhouse-sql.ts'

/**
 * A whole number of ours (a position, a step, a window) as it is: the engine wants constants in places where it takes
 * no parameter.
 */
export function whole(number: number): Fragment {
  if (!Number.isSafeInteger(number)) throw new Error(`not a whole number: ${number}`)
  return new Fragment([String(number)], [])
}
