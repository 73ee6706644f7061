import type { StickinessResult as StickinessOnWire } from '../../../contract/results/index.ts'
import { isoInZone } from '../../wire/labels.ts'
import { nameOf } from '../../wire/names.ts'
import { entityOf, linksPoints, type PointLink } from '../../wire/point-links.ts'
import { actionOf } from '../../wire/series-action.ts'
import { sum } from '../../wire/sum.ts'
import type { StickinessResult } from './run.ts'

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
