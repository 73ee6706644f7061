import type { CsvRow } from '../../wire/csv-row.ts'
import type { StickinessResult } from './run.ts'
import { stickinessOnWire } from './wire.ts'

export function stickinessRows(result: StickinessResult): CsvRow[] {
  const series = stickinessOnWire(result)
  const labels = series.map((each) => each.labels).toSorted((a, b) => b.length - a.length)[0] ?? []
  return [
    ['series', ...labels],
    ...series.map(({ action, label, data, compare_label }): CsvRow => {
      const name = action.custom_name ?? label
      return [compare_label === undefined ? name : `${name} (${compare_label})`, ...data]
    }),
  ]
}
