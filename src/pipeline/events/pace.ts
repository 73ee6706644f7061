import type { LogRange } from '../../log/index.ts'

/**
 * How long to wait between the starts of two batches. An insert costs ClickHouse about the same for ten rows as for a thousand, and every
 * part it makes is merged again later, so fewer and larger ones leave more of it to questions:
 *
 *   the more there was, the longer; after a full batch there is no pause, because more of them wait
 *   the longer the last batch took to be stored, the longer: inserts of a partition take ClickHouse a tenth of its time, and more only when
 *   it is so slow that a new event would not be seen within two seconds
 */
const LEAST_MS = 150
const MOST_MS = 1_000
const MS_OF_KILOBYTE = 3
const TIMES_DELIVERY = 10

interface BatchLimits {
  readonly bytes: number
  readonly records: number
}

export function paceMs({ records }: Pick<LogRange, 'records'>, limits: BatchLimits, deliveryMs: number): number {
  const bytes = records.reduce((sum, { payload }) => sum + payload.length, 0)
  if (records.length >= limits.records || bytes >= limits.bytes / 2) return 0
  const wanted = Math.max((bytes / 1024) * MS_OF_KILOBYTE, deliveryMs * TIMES_DELIVERY)
  return Math.min(MOST_MS, Math.max(LEAST_MS, wanted))
}
