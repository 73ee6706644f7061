import { useCallback, useMemo } from 'react'
import type { PathEdge } from '../../../api/contract.ts'
import { duration } from '../../../lib/format.ts'
import type { Json } from '../../../lib/json.ts'
import { Chart } from '../../../ui/chart.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { usePanels } from '../../panels/index.ts'
import type { Node } from '../answer.ts'
import { DataTable, type TableData } from '../data-table.tsx'
import { useRoom } from '../room.tsx'
import { placeOf, sankey, stepOf } from './sankey.ts'
import type { ViewProps } from './types.ts'
import '../../../ui/fades.css'
import './views.css'

/** Narrower than this a step has no room for its names: the picture scrolls instead, or in a tile has fewer steps. */
const STEP_WIDTH = 148
const STEP_WIDTH_IN_TILE = 112

function firstSteps(edges: readonly PathEdge[], width: number): PathEdge[] {
  const steps = Math.max(2, Math.floor(width / STEP_WIDTH_IN_TILE))
  return edges.filter(({ target }) => stepOf(target) <= steps)
}

export function PathsView({ node, answer, height, compact }: ViewProps<'PathsQuery'>) {
  const room = useRoom()
  const all = answer.results
  const edges = useMemo(() => (room ? firstSteps(all, room.width) : all), [all, room])
  const panels = usePanels()
  const option = useCallback(() => sankey(edges, compact ? 12 : 18), [edges, compact])
  if (edges.length === 0)
    return (
      <div className="view-empty" style={{ minHeight: height }}>
        <EmptyState icon="paths" title="No paths in this period">
          Nobody did two of these within 30 minutes.
        </EmptyState>
      </div>
    )
  const open = (edge: PathEdge) =>
    panels.open({
      to: 'people',
      title: `${placeOf(edge.source)} to ${placeOf(edge.target)}`,
      source: {
        kind: 'InsightActorsQuery',
        source: {
          ...node,
          pathsFilter: { ...pathsFilterOf(node), pathStartKey: edge.source, pathEndKey: edge.target },
        },
        includeRecordings: true,
      },
    })
  const steps = Math.max(...edges.map(({ target }) => stepOf(target)))
  const crowd = Math.max(...countsByStep(edges))
  return (
    <div className="view">
      <section className="paths fades" aria-label="Paths people take, as a chart" tabIndex={0}>
        <div className="paths-wide" style={room ? undefined : { minWidth: steps * STEP_WIDTH }}>
          <ol className="paths-steps" aria-hidden="true">
            {Array.from({ length: steps }, (_, index) => `Step ${index + 1}`).map((title) => (
              <li key={title}>{title}</li>
            ))}
          </ol>
          <Chart
            label="Paths people take"
            height={compact ? height - 24 : Math.max(height, crowd * 36)}
            option={option}
            onPick={({ data }) => {
              const { source, target } = (data ?? {}) as Partial<PathEdge>
              const edge = edges.find((other) => other.source === source && other.target === target)
              if (edge) open(edge)
            }}
          />
        </div>
      </section>
      {!compact && <DataTable data={pathsTable(edges, (index) => open(edges[index] as PathEdge))} />}
    </div>
  )
}

const pathsFilterOf = ({ pathsFilter }: Node<'PathsQuery'>): { [key: string]: Json } =>
  typeof pathsFilter === 'object' && pathsFilter !== null && !Array.isArray(pathsFilter) ? pathsFilter : {}

/** How many places there are at each step: they stand one below the other. */
function countsByStep(edges: readonly PathEdge[]): number[] {
  const counts: number[] = []
  for (const key of new Set(edges.flatMap(({ source, target }) => [source, target])))
    counts[stepOf(key)] = (counts[stepOf(key)] ?? 0) + 1
  return counts.filter((count) => count !== undefined)
}

export function pathsTable(edges: readonly PathEdge[], open?: (index: number) => void): TableData {
  return {
    label: 'Paths people take, most frequent first',
    words: [1],
    head: ['From', 'To', 'Step', 'Times', 'Average time'],
    rows: edges.map((edge, index) => ({
      key: `${edge.source} ${edge.target}`,
      name: placeOf(edge.source),
      cells: [
        placeOf(edge.target),
        String(stepOf(edge.source)),
        edge.value,
        duration(edge.average_conversion_time / 1000),
      ],
      open: open ? (cell) => cell === 2 && open(index) : undefined,
    })),
  }
}
