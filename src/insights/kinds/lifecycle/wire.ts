import type { LifecycleResult as LifecycleOnWire } from '../../../contract/results/index.ts'
import { daysOf, labelsOf } from '../../wire/labels.ts'
import { nameOf } from '../../wire/names.ts'
import { entityOf, intervalUrls, linksPoints, type PointLink, spansOf } from '../../wire/point-links.ts'
import { actionOf } from '../../wire/series-action.ts'
import { sum } from '../../wire/sum.ts'
import type { LifecycleResult } from './run.ts'

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
