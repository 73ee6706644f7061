import { BarChart, LineChart, PieChart, SankeyChart } from 'echarts/charts'
import { GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components'
import * as echarts from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useTheme } from '../lib/use-theme.ts'
import { isMark } from './chart-marks.ts'
import type { ChartOption } from './chart-options.ts'

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

export function ChartCanvas({ option, onPick }: ChartProps) {
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

  return <div ref={host} className="chart-canvas" />
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
