import type { Drawn } from './answer.ts'
import type { TableData } from './data-table.tsx'
import type { Draft } from './draft.ts'
import { SqlView } from './sql/sql-view.tsx'
import { FunnelView, funnelTableOf } from './views/funnel-view.tsx'
import { LifecycleView } from './views/lifecycle-view.tsx'
import { PathsView, pathsTable } from './views/paths-view.tsx'
import { RetentionView, retentionTable } from './views/retention-view.tsx'
import { StickinessView, stickinessTable } from './views/stickiness-view.tsx'
import { TrendsView, trendsTable } from './views/trends-view.tsx'

/** An answer, drawn as its kind wants it. */
export function InsightView({
  draft,
  drawn,
  height = 360,
  compact = false,
}: {
  draft: Draft
  drawn: Drawn
  height?: number
  compact?: boolean
}) {
  const shown = { draft, height, compact }
  if (isOf('TrendsQuery', drawn)) return <TrendsView {...shown} {...drawn} />
  if (isOf('FunnelsQuery', drawn)) return <FunnelView {...shown} {...drawn} />
  if (isOf('RetentionQuery', drawn)) return <RetentionView {...shown} {...drawn} />
  if (isOf('PathsQuery', drawn)) return <PathsView {...shown} {...drawn} />
  if (isOf('LifecycleQuery', drawn)) return <LifecycleView {...shown} {...drawn} />
  if (isOf('StickinessQuery', drawn)) return <StickinessView {...shown} {...drawn} />
  return <SqlView {...shown} {...drawn} />
}

const isOf = <K extends Drawn['node']['kind']>(kind: K, drawn: Drawn): drawn is Extract<Drawn, { node: { kind: K } }> =>
  drawn.node.kind === kind

/** The numbers of an answer as a table; rows of SQL are one already. */
export function tableOf(draft: Draft, drawn: Drawn): TableData | undefined {
  if (isOf('FunnelsQuery', drawn)) return funnelTableOf(drawn.answer.results)
  if (isOf('RetentionQuery', drawn)) return retentionTable(drawn.answer.results)
  if (isOf('PathsQuery', drawn)) return pathsTable(drawn.answer.results)
  if (isOf('StickinessQuery', drawn)) return stickinessTable(drawn.answer.results)
  if (isOf('HogQLQuery', drawn)) return undefined
  return trendsTable(draft, drawn.answer.results)
}
