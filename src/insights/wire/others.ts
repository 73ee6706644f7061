/** Lifecycle, stickiness, retention and paths as clients read them. */

import type { SeriesNode } from '../../contract/queries/index.ts'
import type {
  LegacyRetentionRow,
  LifecycleResult as LifecycleOnWire,
  LifecycleSeries,
  PathsResult as PathsOnWire,
  RetentionRow,
  StickinessResult as StickinessOnWire,
} from '../../contract/results/index.ts'
import { valueOnWire } from '../kinds/funnels/wire.ts'
import type { LifecycleResult } from '../kinds/lifecycle/run.ts'
import type { PathsResult } from '../kinds/paths/run.ts'
import { cellLabel } from '../kinds/retention/brackets.ts'
import type { RetentionResult } from '../kinds/retention/run.ts'
import type { StickinessResult } from '../kinds/stickiness/run.ts'
import { sum } from '../kinds/trends/weight.ts'
import { daysOf, isoInZone, labelsOf } from './labels.ts'
import { nameOf } from './names.ts'
import { entityOf, intervalUrls, linksPoints, type PointLink, spansOf } from './point-links.ts'
import { propertiesOnWire } from './properties.ts'

const actionOf = (node: SeriesNode, order: number, math: string): LifecycleSeries['action'] => ({
  id: node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null,
  name: node.name ?? nameOf(node),
  custom_name: node.custom_name ?? null,
  type: node.kind === 'ActionsNode' ? 'actions' : 'events',
  order,
  math,
  properties: propertiesOnWire(node.properties),
})

export function lifecycleOnWire({ plan, series }: LifecycleResult, link?: PointLink): LifecycleOnWire {
  const zone = plan.clock.timezone
  const { node } = plan
  if (node === undefined) return []
  return series.map(({ status, data }) => ({
    action: actionOf(node, 0, 'total'),
    label: `${nameOf(node)} - ${status}`,
    status,
    data,
    count: sum(data),
    labels: labelsOf(plan.range, zone),
    days: daysOf(plan.range, zone),
    ...(link && linksPoints(plan.range.buckets.length)
      ? {
          persons_urls: intervalUrls(
            spansOf(plan.range, plan.clock),
            { ...entityOf(node, 0), lifecycle_type: status },
            link('lifecycle', { lifecycle_type: status }),
            'target_date',
          ),
        }
      : {}),
  }))
}

export function stickinessOnWire({ plan, series }: StickinessResult, link?: PointLink): StickinessOnWire {
  const unit = plan.query.interval
  const pointOf = (index: number, days: number, label: string) => ({
    entity_order: index,
    stickiness_days: days,
    ...(plan.compare ? { compare_label: label } : {}),
  })
  return series.map(({ index, node, period, data }) => ({
    action: actionOf(node, index, node.math ?? 'dau'),
    label: nameOf(node),
    count: sum(data),
    data,
    days: data.map((_, at) => at + 1),
    labels: data.map((_, at) => {
      const length = (at + 1) * plan.together
      return `${length} ${unit}${length === 1 ? '' : 's'}`
    }),
    filter: {
      insight: 'STICKINESS',
      interval: unit,
      date_from: isoInZone(period.range.from, plan.clock.timezone),
      date_to: isoInZone(period.range.to, plan.clock.timezone),
    },
    ...(plan.compare ? { compare: true as const, compare_label: period.label } : {}),
    ...(link && linksPoints(data.length)
      ? {
          persons_urls: data.map((_, at) => {
            const point = pointOf(index, at + 1, period.label)
            return { filter: { ...entityOf(node, index), ...point }, url: link('stickiness', point) }
          }),
        }
      : {}),
  }))
}

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
    }))
  })

export const pathsOnWire = ({ edges }: PathsResult): PathsOnWire =>
  edges.map(({ source, target, value, average }) => ({ source, target, value, average_conversion_time: average }))
