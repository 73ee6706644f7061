import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { useAnswer } from './answer.ts'
import type { Draft } from './draft.ts'
import { InsightView } from './insight-view.tsx'
import { toNode } from './node.ts'

/** An insight where there is little room: on the home page, on a dashboard. */
export function InsightTile({ draft, height }: { draft: Draft; height: number }) {
  const node = toNode(draft)
  const { data, error, isPending, isPlaceholderData, refetch } = useAnswer(node)
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <Skeleton height={height} radius={8} />
  return (
    <div className={isPlaceholderData ? 'dimmed' : undefined} aria-busy={isPlaceholderData}>
      <InsightView draft={draft} node={node} answer={data} height={height} compact />
    </div>
  )
}
