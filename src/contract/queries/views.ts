/** Nodes that say how an answer is shown, and hold the query itself in `source`. */
import { z } from 'zod'
import { querySchema } from './query.ts'

const VIEW_KINDS = ['InsightVizNode', 'DataTableNode', 'DataVisualizationNode'] as const

export interface ViewNode {
  readonly kind: (typeof VIEW_KINDS)[number]
  readonly source: QueryNode
  readonly [key: string]: unknown
}
export type QueryNode = z.input<typeof querySchema> | ViewNode

export const viewNodeSchema: z.ZodType<ViewNode, ViewNode> = z
  .looseObject({ kind: z.enum(VIEW_KINDS), source: z.lazy(() => queryNodeSchema) })
  .meta({ id: 'ViewNode', description: 'How an answer is shown; other keys than these are kept as they are.' })

/** A query as clients keep and send it. Checked as far as it is wrapped; what is asked is read by `querySchema`. */
export const queryNodeSchema: z.ZodType<QueryNode, QueryNode> = z
  .union([querySchema, viewNodeSchema])
  .meta({ id: 'QueryNode' })
