import type { LegacyRetentionRow, RetentionRow } from '../../../contract/results/index.ts'
import { namesOf } from '../../plan/breakdown.ts'
import { isoInZone } from '../../wire/labels.ts'
import { valueOnWire } from '../../wire/names.ts'
import { cellLabel } from './brackets.ts'
import type { RetentionResult } from './run.ts'

/** Where the people of a row of the table, or of one of its cells, are listed. */
export type RetentionLink = (row: number, after?: number, value?: string) => string

/** With a breakdown the tables of its values follow each other. */
export const retentionOnWire = (result: RetentionResult): RetentionRow[] =>
  retentionRows(result).map(({ counts, row: _, value: __, ...fields }) => ({
    values: counts.map((count, after) => ({ count, label: cellLabel(result.plan, after) })),
    ...fields,
  }))

/** The legacy answer has a list of people in every cell, which is always empty, and links; the node's has neither. */
export const linkedRetentionOnWire = (result: RetentionResult, link: RetentionLink): LegacyRetentionRow[] =>
  retentionRows(result).map(({ counts, row, value, ...fields }) => ({
    values: counts.map((count, after) => ({ count, people: [], people_url: link(row, after, value) })),
    ...fields,
    people_url: link(row, undefined, value),
  }))

const retentionRows = ({ plan, groups }: RetentionResult) =>
  groups.flatMap(({ labels, rows }) => {
    const value = labels && valueOnWire(labels).join('::')
    return rows.map((counts, row) => ({
      counts,
      row,
      value,
      label: `${plan.period} ${row}`,
      date: isoInZone(plan.range.buckets[row] ?? plan.range.from, plan.clock.timezone),
      ...(value !== undefined && { breakdown_value: value }),
      ...(labels && plan.breakdown?.names && { breakdown_name: namesOf(plan.breakdown, labels).join() }),
    }))
  })
