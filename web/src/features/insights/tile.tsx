import { useStable } from '../../lib/use-stable.ts'
import { dimmedWhile, ErrorState, Skeleton } from '../../ui/states.tsx'
import { ChartPlaceContext } from './annotations/chart-place.tsx'
import type { ChartPlace } from './annotations/notes.ts'
import { useDrawn } from './answer.ts'
import type { Draft } from './draft.ts'
import { InsightView } from './insight-view.tsx'
import { toNode } from './node.ts'
import { Fitted } from './room.tsx'

const NOWHERE: ChartPlace = {}

/** An insight where there is little room: on the home page, on a dashboard. */
export function InsightTile({
  draft,
  height,
  place = NOWHERE,
}: {
  draft: Draft
  height: number
  /** What it stands on: for annotations. */
  place?: ChartPlace
}) {
  const { data, error, isPending, isPlaceholderData, refetch } = useDrawn(toNode(draft))
  const standsOn = useStable(place)
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending) return <Skeleton height={height} radius={8} />
  return (
    <Fitted height={height}>
      <div {...dimmedWhile(isPlaceholderData, 'fitted-view')}>
        <ChartPlaceContext value={standsOn}>
          <InsightView draft={draft} drawn={data} height={height} compact />
        </ChartPlaceContext>
      </div>
    </Fitted>
  )
}
