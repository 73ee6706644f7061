import { BarChart, LineChart, PieChart, SankeyChart } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent, TooltipComponent } from 'echarts/components'
import * as echarts from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { paint } from '../lib/series-colours.ts'
import { isMark } from './chart-marks.ts'
import type { ChartOption } from './chart-options.ts'
import { CONTINUES } from './chart-tip.ts'

/** Charts as files: drawn again as SVG, with a title and a legend. A PNG is that SVG, painted. Loaded when asked for. */
echarts.use([
  LineChart,
  BarChart,
  PieChart,
  SankeyChart,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  SVGRenderer,
])

const WIDTH = 1200
const HEIGHT = 640
const EDGE = 32
const SCALE = 2

export interface Titles {
  title: string
  /** Below the title, smaller: of which days it is. */
  about: string
}

export function svgOf(option: ChartOption, titles: Titles): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT })
  try {
    chart.setOption(framed(option, titles) as echarts.EChartsCoreOption)
    return chart.renderToSVGString()
  } finally {
    chart.dispose()
  }
}

export async function pngOf(svg: string): Promise<Blob> {
  const picture = new Image(WIDTH, HEIGHT)
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('This browser cannot paint the picture.')
  pen.scale(SCALE, SCALE)
  pen.drawImage(picture, 0, 0, WIDTH, HEIGHT)
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('This browser cannot paint the picture.'))),
      'image/png',
    ),
  )
}

interface Drawn {
  type?: string
  name?: string
  data?: unknown
}

function framed(option: ChartOption, { title, about }: Titles): ChartOption {
  // Within an attribute of the SVG: names with spaces in single quotes.
  const family = getComputedStyle(document.body).fontFamily.replaceAll('"', "'")
  const text = { color: paint('--ink'), fontFamily: family }
  const series = (Array.isArray(option.series) ? option.series : []) as Drawn[]
  const names = namesIn(series)
  const bottom = names.length > 1 ? 64 : EDGE
  const placed = { left: EDGE, right: EDGE, top: 96, bottom }
  return {
    ...option,
    animation: false,
    tooltip: { show: false },
    textStyle: text,
    backgroundColor: paint('--paper'),
    title: {
      text: title,
      subtext: about,
      left: EDGE,
      top: 24,
      textStyle: { ...text, fontSize: 20, fontWeight: 600, width: WIDTH - 2 * EDGE, overflow: 'truncate' },
      subtextStyle: { color: paint('--ink-soft'), fontFamily: family, fontSize: 13 },
    },
    ...(names.length > 1
      ? {
          legend: {
            type: 'plain',
            data: names,
            left: EDGE,
            right: EDGE,
            bottom: 16,
            icon: 'roundRect',
            itemWidth: 12,
            itemHeight: 4,
            textStyle: { ...text, fontSize: 12 },
          },
        }
      : {}),
    grid: { ...(option.grid as object | undefined), ...placed, containLabel: true },
    // Charts without a grid place themselves.
    series: series.map((one) => {
      if (one.type === 'pie') return { ...one, center: ['50%', '54%'], radius: ['38%', '62%'] }
      return one.type === 'sankey' ? { ...one, ...placed, right: 160 } : one
    }),
  }
}

/** Series, or the parts of a pie. */
function namesIn(series: readonly Drawn[]): string[] {
  if (series[0]?.type === 'sankey') return []
  const named = series[0]?.type === 'pie' ? (series[0].data as Drawn[]) : series
  const names = named.map(({ name = '' }) => name).filter((name) => !isMark(name) && !name.startsWith(CONTINUES))
  return [...new Set(names)].filter((name) => name !== '').slice(0, 12)
}
