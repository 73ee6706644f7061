import type { Answer, Node } from './answer.ts'
import type { Draft } from './draft.ts'
import { SqlView } from './sql/sql-view.tsx'
import type { Twin } from './twin.tsx'
import { FunnelView, funnelTwinOf } from './views/funnel-view.tsx'
import { LifecycleView } from './views/lifecycle-view.tsx'
import { PathsView, pathsTwin } from './views/paths-view.tsx'
import { RetentionView, retentionTwin } from './views/retention-view.tsx'
import { StickinessView, stickinessTwin } from './views/stickiness-view.tsx'
import { TrendsView, trendsTwin } from './views/trends-view.tsx'
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

export function twinOf(draft: Draft, answer: Answer): Twin {
  const results = answer.results as never
  switch (draft.kind) {
    case 'funnel':
      return funnelTwinOf(draft, results)
    case 'retention':
      return retentionTwin(results)
    case 'paths':
      return pathsTwin(results)
    case 'stickiness':
      return stickinessTwin(results)
    default:
      return trendsTwin(draft, results)
  }
}
