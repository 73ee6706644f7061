import type { PathEdge } from '../../../api/contract.ts'
import { number, plural, short } from '../../../lib/format.ts'
import { eventName } from '../../../lib/names.ts'
import { colourIndexes, paint } from '../../../lib/series-colours.ts'
import type { ChartOption } from '../../../ui/chart-options.ts'
import { tipBox } from '../../../ui/chart-tip.ts'

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

export const stepOf = (key: string): number => Number(/^(\d+)_/.exec(key)?.[1] ?? 1)

/** Paths as ribbons from step to step; each place is drawn at its step. */
export function sankey(edges: readonly PathEdge[], letters: number): ChartOption {
  const keys = [...new Set(edges.flatMap(({ source, target }) => [source, target]))]
  const places = [...new Set(keys.map(placeOf))]
  const colours = colourIndexes(places)
  const through = (key: string): number => {
    const inward = edges.filter(({ target }) => target === key).reduce((sum, { value }) => sum + value, 0)
    const outward = edges.filter(({ source }) => source === key).reduce((sum, { value }) => sum + value, 0)
    return Math.max(inward, outward)
  }
  return {
    animationDuration: 220,
    tooltip: {
      ...tipBox(),
      trigger: 'item',
      formatter: ({ dataType, data, value }: { dataType: string; data: PathEdge & { name: string }; value: number }) =>
        dataType === 'edge'
          ? words(`${placeOf(data.source)} → ${placeOf(data.target)}`, plural(value, 'time'), 'Click to see the people')
          : words(placeOf(data.name), number(value)),
    },
    series: [
      {
        type: 'sankey',
        left: 0,
        right: 124,
        top: 4,
        bottom: 4,
        nodeWidth: 8,
        nodeGap: 14,
        draggable: false,
        layoutIterations: 48,
        nodeAlign: 'left',
        emphasis: { focus: 'adjacency' },
        lineStyle: { color: 'source', opacity: 0.18, curveness: 0.5 },
        cursor: 'pointer',
        label: {
          color: paint('--ink'),
          fontSize: 11,
          formatter: ({ name }: { name: string }) =>
            `${shortened(placeOf(name), letters)} {count|${short(through(name))}}`,
          rich: { count: { color: paint('--ink-faint'), fontSize: 11 } },
        },
        data: keys.map((key) => ({
          name: key,
          depth: stepOf(key) - 1,
          itemStyle: {
            color: paint(`--s${(colours[places.indexOf(placeOf(key))] ?? 0) + 1}`),
            borderWidth: 0,
            borderRadius: 2,
          },
        })),
        links: edges.map(({ source, target, value }) => ({ source, target, value })),
      },
    ],
  }
}

/** Keeps the beginning and the end of a long name. */
const shortened = (text: string, letters: number): string =>
  text.length <= letters ? text : `${text.slice(0, Math.ceil(letters * 0.6))}…${text.slice(-Math.floor(letters * 0.3))}`

function words(...texts: string[]): HTMLElement {
  const box = document.createElement('div')
  box.className = 'tip'
  texts.forEach((text, index) => {
    const line = document.createElement(index === 0 ? 'strong' : 'span')
    if (index > 1) line.className = 'tip-soft'
    line.textContent = text
    box.append(line)
  })
  return box
}
