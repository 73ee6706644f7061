/** numbers(count) and numbers(first, count), as a table. */
import { type Fragment, sql } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { evaluated } from './constant-count.ts'
import { sqlError } from './error.ts'
import { ourName } from './our-names.ts'
import { plain, type Values } from './values.ts'

/** How many numbers a query may count through. */
const MOST_NUMBERS = 1_000_000

export function numbersBetween(args: readonly Expression[], values: Pick<Values, 'value'>) {
  const [first, count] = args.length === 2 ? [args[0], args[1]] : [undefined, args[0]]
  if (count === undefined) throw sqlError('numbers takes a count, or a first number and a count.')
  const from = first ? whole(first, values) : sql`0`
  const all = sql`SELECT number AS ${ourName('number')} FROM numbers(${from}, ${bounded(count, values)})`
  return { sql: all, columns: ['number'], nullable: [false] }
}

function whole(expression: Expression, values: Pick<Values, 'value'>): Fragment {
  const known = evaluated(expression, () => undefined)
  if (known === undefined) return sql`toUInt64(greatest(0, assumeNotNull(${values.value(expression)})))`
  if (!Number.isSafeInteger(known) || known < 0) throw sqlError('numbers takes whole numbers.')
  return plain(String(known))
}

/** A count that is only known to the engine is checked there: a cast that fails is all that can stand in this place. */
function bounded(expression: Expression, values: Pick<Values, 'value'>): Fragment {
  const known = evaluated(expression, () => undefined)
  if (known !== undefined && known > MOST_NUMBERS) throw sqlError(`numbers() counts to ${MOST_NUMBERS} at most.`)
  const count = whole(expression, values)
  if (known !== undefined) return count
  const most = plain(String(MOST_NUMBERS))
  return sql`${count} + accurateCast(-toInt64(intDiv(greatest(toInt64(${count}), 1) - 1, ${most})), 'UInt8')`
}
