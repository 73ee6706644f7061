import type { Answer, Node } from './answer.ts'
import type { TableData } from './data-table.tsx'
import type { Draft } from './draft.ts'
import { SqlView } from './sql/sql-view.tsx'
import { FunnelView, funnelTableOf } from './views/funnel-view.tsx'
import { LifecycleView } from './views/lifecycle-view.tsx'
import { PathsView, pathsTable } from './views/paths-view.tsx'
import { RetentionView, retentionTable } from './views/retention-view.tsx'
import { StickinessView, stickinessTable } from './views/stickiness-view.tsx'
import { TrendsView, trendsTable } from './views/trends-view.tsx'
import type { ViewProps } from './views/types.ts'

/** An answer, drawn as its kind wants it. */
export function InsightView({
  draft,
  node,
  answer,
  height = 360,
  compact = false,
}: {
  draft: Draft
  node: Node
  answer: Answer
  height?: number
  compact?: boolean
}) {
  const props = { draft, node, answer, height, compact } as unknown as ViewProps<never>
  switch (draft.kind) {
    case 'trends':
      return <TrendsView {...props} />
    case 'funnel':
      return <FunnelView {...props} />
    case 'retention':
      return <RetentionView {...props} />
    case 'paths':
      return <PathsView {...props} />
    case 'lifecycle':
      return <LifecycleView {...props} />
    case 'stickiness':
      return <StickinessView {...props} />
    case 'sql':
      return <SqlView {...props} />
  }
}

export function tableOf(draft: Draft, answer: Answer): TableData {
  const results = answer.results as never
  switch (draft.kind) {
    case 'funnel':
      return funnelTableOf(draft, results)
    case 'retention':
      return retentionTable(results)
    case 'paths':
      return pathsTable(results)
    case 'stickiness':
      return stickinessTable(results)
    default:
      return trendsTable(draft, results)
  }
}
