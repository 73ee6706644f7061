import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart-canvas.tsx'
import { usePicture } from './picture.tsx'
import { Skeleton } from './states.tsx'
import './chart.css'

const Canvas = lazy(() => import('./chart-canvas.tsx').then((module) => ({ default: module.ChartCanvas })))

const px = (height: number | string): string => (typeof height === 'number' ? `${height}px` : height)

/**
 * A chart, described by `label`. A screen reader reads the numbers in the table beside it (`DataTable`); where a point
 * leads somewhere, the chart takes the focus and arrow keys reach its points.
 * The chart library is loaded with the first chart.
 */
export function Chart(props: ChartProps) {
  usePicture(props.option)
  return (
    <div
      className="chart"
      {...(props.onPick ? {} : { role: 'img', 'aria-label': props.label })}
      style={{ ['--height' as string]: px(props.height ?? 320) }}
    >
      <Suspense fallback={<Skeleton height="100%" radius={8} />}>
        <Canvas {...props} />
      </Suspense>
    </div>
  )
}
