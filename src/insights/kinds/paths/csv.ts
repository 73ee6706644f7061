import type { CsvRow } from '../../wire/csv-row.ts'
import type { PathsResult } from './run.ts'
import { pathsOnWire } from './wire.ts'

export const pathRows = (result: PathsResult): CsvRow[] => [
  ['source', 'target', 'value', 'average_conversion_time'],
  ...pathsOnWire(result).map((edge): CsvRow => [edge.source, edge.target, edge.value, edge.average_conversion_time]),
]
