import { BarChart, LineChart, PieChart, SankeyChart } from 'echarts/charts'
import { GridComponent, TooltipComponent } from 'echarts/components'
import * as echarts from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useTheme } from '../lib/use-theme.ts'
import type { ChartOption } from './chart-options.ts'

echarts.use([LineChart, BarChart, PieChart, SankeyChart, GridComponent, TooltipComponent, CanvasRenderer])

export interface Picked {
  seriesIndex: number
  dataIndex: number
  name: string
  data: unknown
}

export interface ChartProps {
  /** Made anew for each theme: canvas colours are values, not variables. */
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
      pick.current?.({
        seriesIndex: event.seriesIndex ?? 0,
        dataIndex: event.dataIndex,
        name: event.name,
        data: event.data,
      })
    })
    const watcher = new ResizeObserver(() => made.resize())
    watcher.observe(host.current)
    return () => {
      watcher.disconnect()
      made.dispose()
      chart.current = null
    }
  }, [])

  // The theme is a reason to draw again, though the option does not name it.
  useEffect(() => {
    void theme
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches ? { animation: false } : {}
    chart.current?.setOption({ ...option(), ...calm } as echarts.EChartsCoreOption, { notMerge: true })
  }, [option, theme])

  return <div ref={host} className="chart-canvas" />
}
