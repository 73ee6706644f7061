/** Correlations as a table: one row each. */
import type { CorrelationResult } from '../correlation/run.ts'
import { correlationOnWire } from './correlation.ts'
import type { CsvRow } from './csv-row.ts'

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
