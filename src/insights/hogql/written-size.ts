import type { Fragment } from '../../engines/clickhouse-sql.ts'
import { sqlError } from './error.ts'

/** A bound or a meaning may write an argument twice: calls within calls could double without end. */
const LONGEST_WRITTEN = 500_000

const sizes = new WeakMap<Fragment, number>()

function sizeOf(fragment: Fragment): number {
  const known = sizes.get(fragment)
  if (known !== undefined) return known
  let size = 0
  for (const part of fragment.strings) size += part.length
  for (const value of fragment.values) size += 'strings' in value ? sizeOf(value) : 10
  sizes.set(fragment, size)
  return size
}

/** The same fragment, unless it has become longer than a statement may be. */
export function withinSize(fragment: Fragment): Fragment {
  if (sizeOf(fragment) > LONGEST_WRITTEN)
    throw sqlError('The query nests functions so that it becomes too long: compute parts of it in a subquery.')
  return fragment
}
