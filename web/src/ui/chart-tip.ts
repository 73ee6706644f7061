import { paint } from '../lib/series-colours.ts'
import { isMark } from './chart-marks.ts'
import type { Plot } from './plot.ts'

/** The tooltip of a chart. Built from elements, not HTML text: names come from the senders of events. */
interface TipPoint {
  seriesName: string
  value: number | null
  axisValueLabel: string
  dataIndex: number
}

const MOST_ROWS = 12
/** Prefix of the series that draws the dotted end of another one, into the bucket in progress. */
export const CONTINUES = '\u0000'

export const tipBox = () => ({
  confine: true,
  backgroundColor: paint('--paper'),
  borderColor: paint('--line-strong'),
  padding: [8, 12],
  textStyle: { color: paint('--ink'), fontSize: 12 },
  extraCssText: 'box-shadow: 0 4px 16px rgb(0 0 0 / 0.12); border-radius: 8px;',
})

export const axisTip =
  (plot: Plot, format: (value: number) => string) =>
  (points: readonly TipPoint[]): HTMLElement => {
    const box = element('div', 'tip')
    const head = points[0]?.axisValueLabel
    if (head) box.append(element('strong', '', head))
    const note = plot.notes?.find(({ at }) => at === points[0]?.dataIndex)
    if (note) box.append(element('span', 'tip-note', note.text))
    const all = unique(points.filter(({ seriesName }) => !isMark(seriesName))).sort(
      (a, b) => (b.value ?? 0) - (a.value ?? 0),
    )
    for (const point of all.slice(0, MOST_ROWS)) box.append(row(point, plot, format))
    if (all.length > MOST_ROWS) box.append(element('span', 'tip-soft', `and ${all.length - MOST_ROWS} more`))
    if (plot.unfinished && points[0]?.dataIndex === plot.labels.length - 1)
      box.append(element('span', 'tip-soft', 'in progress'))
    if (plot.hint) box.append(element('span', 'tip-soft', plot.hint))
    return box
  }

function row({ seriesName, value, dataIndex }: TipPoint, plot: Plot, format: (value: number) => string): HTMLElement {
  const series = plot.series.find(({ name }) => name === seriesName)
  const line = element('div', 'tip-row')
  const name = element('span', '')
  const dot = element('span', `tip-dot ${series?.faded ? 'tip-dot-faded' : ''}`)
  dot.style.background = series ? `var(${series.colour})` : 'var(--s1)'
  const date = series?.labels?.[dataIndex]
  name.append(dot, date ? `${seriesName}, ${date}` : seriesName)
  line.append(name, element('span', 'tip-value', value === null ? '–' : format(value)))
  return line
}

/** A point of the dotted end counts only where the series itself has no point. */
function unique(points: readonly TipPoint[]): TipPoint[] {
  const isThere = ({ value }: TipPoint) => value !== null && value !== undefined
  const there = new Set(points.filter(isThere).map(({ seriesName }) => seriesName))
  const own = (name: string) => (name.startsWith(CONTINUES) ? name.slice(CONTINUES.length) : name)
  return points
    .filter(
      (point) => isThere(point) && (own(point.seriesName) === point.seriesName || !there.has(own(point.seriesName))),
    )
    .map((point) => ({ ...point, seriesName: own(point.seriesName) }))
}

function element(tag: string, className: string, text?: string): HTMLElement {
  const made = document.createElement(tag)
  if (className) made.className = className.trim()
  if (text !== undefined) made.textContent = text
  return made
}
