import { useCallback } from 'react'
import { useDoors } from '../../doors/use-doors.ts'
import { duration, number } from '../../lib/format.ts'
import { eventName } from '../../lib/names.ts'
import { colourIndexes, paint } from '../../lib/series-colours.ts'
import { Chart } from '../../ui/chart.tsx'
import type { ChartOption } from '../../ui/chart-options.ts'
import { EmptyState } from '../../ui/states.tsx'
import type { Node } from '../answer.ts'
import { type Twin, TwinTable } from '../twin.tsx'
import type { PathEdge, ViewProps } from './types.ts'
import './views.css'

export function PathsView({ node, answer, height, compact }: ViewProps<PathEdge[]>) {
  const edges = answer.results
  const doors = useDoors()
  const option = useCallback(() => sankey(edges), [edges])
  if (edges.length === 0)
    return (
      <EmptyState icon="paths" title="No paths in this time">
        Nobody did two such things within half an hour.
      </EmptyState>
    )
  const open = (edge: PathEdge) =>
    doors.open({
      to: 'people',
      title: `${placeOf(edge.source)} to ${placeOf(edge.target)}`,
      source: {
        kind: 'InsightActorsQuery',
        source: {
          ...node,
          pathsFilter: { ...(node.pathsFilter as Node), pathStartKey: edge.source, pathEndKey: edge.target },
        },
        includeRecordings: true,
      },
    })
  return (
    <div className="view">
      <Chart
        label="Ways people take"
        height={compact ? height : Math.max(height, 420)}
        option={option}
        onPick={({ data }) => {
          const { source, target } = (data ?? {}) as Partial<PathEdge>
          const edge = edges.find((other) => other.source === source && other.target === target)
          if (edge) open(edge)
        }}
      />
      {!compact && <TwinTable twin={pathsTwin(edges, (index) => open(edges[index] as PathEdge))} />}
    </div>
  )
}

/** "2_https://app.example/pricing" is the second place, /pricing. */
export function placeOf(key: string): string {
  const text = key.replace(/^\d+_/, '')
  if (!/^https?:/.test(text)) return eventName(text)
  try {
    const { pathname } = new URL(text)
    return pathname || '/'
  } catch {
    return text
  }
}

function sankey(edges: readonly PathEdge[]): ChartOption {
  const keys = [...new Set(edges.flatMap(({ source, target }) => [source, target]))]
  const places = [...new Set(keys.map(placeOf))]
  const colours = colourIndexes(places)
  return {
    tooltip: {
      trigger: 'item',
      confine: true,
      backgroundColor: paint('--paper'),
      borderColor: paint('--line-strong'),
      textStyle: { color: paint('--ink'), fontSize: 12 },
      formatter: ({
        dataType,
        data,
        value,
      }: {
        dataType: string
        data: PathEdge & { name: string }
        value: number
      }) => {
        const text = document.createElement('span')
        text.textContent =
          dataType === 'edge'
            ? `${placeOf(data.source)} → ${placeOf(data.target)}: ${number(value)}`
            : `${placeOf(data.name)}: ${number(value)}`
        return text
      },
    },
    series: [
      {
        type: 'sankey',
        left: 4,
        right: 140,
        top: 8,
        bottom: 8,
        nodeWidth: 12,
        nodeGap: 10,
        draggable: false,
        layoutIterations: 32,
        emphasis: { focus: 'adjacency' },
        lineStyle: { color: 'gradient', opacity: 0.28, curveness: 0.5 },
        label: {
          color: paint('--ink'),
          fontSize: 11,
          width: 130,
          overflow: 'truncate',
          formatter: ({ name }: { name: string }) => placeOf(name),
        },
        data: keys.map((key) => ({
          name: key,
          itemStyle: { color: paint(`--s${(colours[places.indexOf(placeOf(key))] ?? 0) + 1}`), borderWidth: 0 },
        })),
        links: edges.map(({ source, target, value }) => ({ source, target, value })),
      },
    ],
  }
}

export function pathsTwin(edges: readonly PathEdge[], open?: (index: number) => void): Twin {
  return {
    label: 'Ways people take, most used first',
    words: [1],
    head: ['From', 'To', 'Step', 'People', 'Average time'],
    rows: edges.map((edge, index) => ({
      key: `${edge.source} ${edge.target}`,
      name: placeOf(edge.source),
      cells: [
        placeOf(edge.target),
        /^(\d+)_/.exec(edge.source)?.[1] ?? '',
        edge.value,
        duration(edge.average_conversion_time / 1000),
      ],
      open: open ? (cell) => cell === 2 && open(index) : undefined,
    })),
  }
}
