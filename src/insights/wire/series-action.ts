import type { SeriesNode } from '../../contract/queries/index.ts'
import type { LifecycleSeries } from '../../contract/results/index.ts'
import { nameOf } from './names.ts'
import { propertiesOnWire } from './properties.ts'

/** The event or action that a series is about, as answers show it. */
export const actionOf = (node: SeriesNode, order: number, math: string): LifecycleSeries['action'] => ({
  id: node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null,
  name: node.name ?? nameOf(node),
  custom_name: node.custom_name ?? null,
  type: node.kind === 'ActionsNode' ? 'actions' : 'events',
  order,
  math,
  properties: propertiesOnWire(node.properties),
})
