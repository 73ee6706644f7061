import type { SeriesNode } from '../../contract/queries/index.ts'
import { NULL_LABEL } from '../plan/breakdown.ts'

/** What a series is called by what it is about. */
export const nameOf = (node: SeriesNode): string => {
  if (node.kind === 'EventsNode') return node.event ?? 'All events'
  return node.name ?? (node.kind === 'GroupNode' ? node.nodes.map(nameOf).join(', ') : String(node.id))
}

/** Cohorts are numbers to clients, except that of everybody. */
export const cohortOnWire = (id: string): string | number => (/^\d+$/.test(id) ? Number(id) : id)

/** No value is the empty text. */
export const valueOnWire = (labels: readonly string[]): string[] =>
  labels.map((label) => (label === NULL_LABEL ? '' : label))
