import { aggregates } from './aggregates.ts'
import { parseItem } from './parse.ts'

/** Whether a column of a select list sums up rows. What cannot be read is refused where it is asked. */
export function isSummed(column: string): boolean {
  try {
    return aggregates(parseItem(column).of)
  } catch {
    return false
  }
}
