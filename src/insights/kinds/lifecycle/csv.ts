import type { CsvRow } from '../../wire/csv-row.ts'
import { labelsOf } from '../../wire/labels.ts'
import type { LifecycleResult } from './run.ts'
import { lifecycleOnWire } from './wire.ts'

export const lifecycleRows = (result: LifecycleResult): CsvRow[] => [
  ['series', ...labelsOf(result.plan.range, result.plan.clock.timezone)],
  ...lifecycleOnWire(result).map(({ label, data }): CsvRow => [label, ...data]),
]
