/** Correlations as a table: one row each. */

import type { CsvRow } from '../../wire/csv-row.ts'
import type { CorrelationResult } from './run.ts'
import { correlationOnWire } from './wire.ts'

export const correlationRows = (result: CorrelationResult): CsvRow[] => [
  ['event', 'success_count', 'failure_count', 'odds_ratio', 'correlation_type'],
  ...correlationOnWire(result).events.map(
    (each): CsvRow => [
      each.event.event,
      each.success_count,
      each.failure_count,
      each.odds_ratio,
      each.correlation_type,
    ],
  ),
]
