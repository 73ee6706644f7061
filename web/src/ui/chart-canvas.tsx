import { BarChart, LineChart, PieChart, SankeyChart } from 'echarts/charts'
import { GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components'
import * as echarts from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useTheme } from '../lib/use-theme.ts'
import { isMark } from './chart-marks.ts'
import type { ChartOption } from './chart-options.ts'
import { type ChartPoint, pointAfter, pointsOf } from './chart-points.ts'

echarts.use([
  LineChart,
  BarChart,
  PieChart,
  SankeyChart,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
])

export interface Picked {
  seriesIndex: number
  dataIndex: number
  name: string
  data: unknown
}

export interface ChartProps {
  /** Built again for each theme: a canvas needs colour values, not CSS variables. */
  option: () => ChartOption
  label: string
  height?: number | string
  onPick?: ((picked: Picked) => void) | undefined
}

export function ChartCanvas({ option, onPick, label }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<echarts.ECharts | null>(null)
  const pick = useRef(onPick)
  pick.current = onPick
  const [theme] = useTheme()

  useEffect(() => {
    if (!host.current) return
    const made = echarts.init(host.current)
    chart.current = made
    made.on('click', (event) => {
      if (event.seriesType === 'line' || event.componentType !== 'series') return
      pick.current?.({
        seriesIndex: event.seriesIndex ?? 0,
        dataIndex: event.dataIndex,
        name: event.name,
        data: event.data,
      })
    })
    // A click anywhere on a line chart means the nearest point: the points themselves are too small to hit.
    made.getZr().on('click', (event) => {
      if (!pick.current) return
      const nearest = nearestPoint(made, event.offsetX, event.offsetY)
      if (nearest) pick.current({ ...nearest, name: '', data: null })
    })
    // The observer also reports the initial size, and a resize redraws everything.
    const watcher = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = made.getDom()
      if (made.getWidth() !== clientWidth || made.getHeight() !== clientHeight) made.resize()
    })
    watcher.observe(host.current)
    return () => {
      watcher.disconnect()
      made.dispose()
      chart.current = null
    }
  }, [])

  // A change of theme needs a redraw, although `option` does not depend on it.
  useEffect(() => {
    void theme
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches ? { animation: false } : {}
    chart.current?.setOption({ ...option(), ...calm } as echarts.EChartsCoreOption, { notMerge: true })
  }, [option, theme])

  const { told, keys } = useChartKeys(chart, { option, theme, onPick })
  if (!onPick) return <div ref={host} className="chart-canvas" />
  return (
    <>
      <div
        ref={host}
        className="chart-canvas"
        role="application"
        aria-roledescription="chart"
        aria-label={`${label}. Arrow keys lead from point to point, Enter opens the people behind one.`}
        tabIndex={0}
        {...keys}
      />
      <span className="unseen" role="status">
        {told}
      </span>
    </>
  )
}

interface Drawn extends Pick<ChartProps, 'option' | 'onPick'> {
  readonly theme: string
}

/** Arrow keys move from point to point, Enter picks one: what a pointer can do, without one. */
function useChartKeys(chart: RefObject<echarts.ECharts | null>, { option, theme, onPick }: Drawn) {
  const at = useRef<ChartPoint | undefined>(undefined)
  const [told, setTold] = useState('')
  const leave = () => {
    chart.current?.dispatchAction({ type: 'hideTip' })
    chart.current?.dispatchAction({ type: 'downplay' })
  }
  // The chart has been drawn again, which hides the point that the keyboard is on.
  useEffect(() => {
    void theme
    if (chart.current?.getDom() !== document.activeElement) return
    const here = samePoint(pointsOf(option()), at.current)
    if (!here) return
    setTold(here.words)
    showPoint(chart.current, here)
  }, [chart, option, theme])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const rows = pointsOf(option())
    const here = samePoint(rows, at.current)
    if (event.key === 'Enter' && here) {
      event.preventDefault()
      onPick?.(here)
      return
    }
    const next = pointAfter(rows, here, event.key)
    if (!next) return
    event.preventDefault()
    at.current = next
    setTold(next.words)
    leave()
    showPoint(chart.current, next)
  }
  return { told, keys: { onKeyDown, onBlur: leave } }
}

/** The option may be another one by now: the same point is found again by where it is. */
const samePoint = (rows: readonly (readonly ChartPoint[])[], wanted: ChartPoint | undefined): ChartPoint | undefined =>
  rows.flat().find((point) => point.seriesIndex === wanted?.seriesIndex && point.dataIndex === wanted.dataIndex)

function showPoint(chart: echarts.ECharts | null, { seriesIndex, dataIndex, data }: ChartPoint): void {
  const isLink = typeof data === 'object' && data !== null && 'source' in data
  chart?.dispatchAction({ type: 'highlight', seriesIndex, dataIndex, ...(isLink && { dataType: 'edge' }) })
  if (!isLink) chart?.dispatchAction({ type: 'showTip', seriesIndex, dataIndex })
}

interface DrawnSeries {
  name?: string
  type?: string
  data?: (number | null)[]
}

function nearestPoint(chart: echarts.ECharts, x: number, y: number): Pick<Picked, 'seriesIndex' | 'dataIndex'> | null {
  const { series = [] } = chart.getOption() as { series?: DrawnSeries[] }
  if (!series.every(({ type }) => type === 'line') || !chart.containPixel({ gridIndex: 0 }, [x, y])) return null
  const [place = 0, height = 0] = chart.convertFromPixel({ gridIndex: 0 }, [x, y])
  const dataIndex = Math.round(place)
  const distances = series.map(({ name, data }) => {
    const value = isMark(name) ? null : data?.[dataIndex]
    return typeof value === 'number' ? Math.abs(value - height) : Number.POSITIVE_INFINITY
  })
  const least = Math.min(...distances)
  return Number.isFinite(least) ? { seriesIndex: distances.indexOf(least), dataIndex } : null
}
