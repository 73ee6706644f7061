import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { useDrawn } from './answer.ts'
import type { Draft } from './draft.ts'
import { InsightView } from './insight-view.tsx'
import { toNode } from './node.ts'
import { Fitted } from './room.tsx'

/** An insight where there is little room: on the home page, on a dashboard. */
export function InsightTile({ draft, height }: { draft: Draft; height: number }) {
  const { data, error, isPending, isPlaceholderData, refetch } = useDrawn(toNode(draft))
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <Skeleton height={height} radius={8} />
  return (
    <Fitted height={height}>
      <div className={`fitted-view ${isPlaceholderData ? 'dimmed' : ''}`} aria-busy={isPlaceholderData}>
        <InsightView draft={draft} drawn={data} height={height} compact />
      </div>
    </Fitted>
  )
}
