import type { SeriesNode } from '../../contract/queries/index.ts'

/** What a series is called by what it is about. */
export const nameOf = (node: SeriesNode): string => {
  if (node.kind === 'EventsNode') return node.event ?? 'All events'
  return node.name ?? (node.kind === 'GroupNode' ? node.nodes.map(nameOf).join(', ') : String(node.id))
}

/** Cohorts are numbers to clients, except that of everybody. */
export const cohortOnWire = (id: string): string | number => (/^\d+$/.test(id) ? Number(id) : id)
