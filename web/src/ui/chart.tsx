import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart-canvas.tsx'
import { Skeleton } from './states.tsx'
import './chart.css'

const Canvas = lazy(() => import('./chart-canvas.tsx').then((module) => ({ default: module.ChartCanvas })))

/**
 * A picture of numbers. Its words are `label`; the numbers themselves stand in a table beside it (`DataTable`), which is what a screen
 * reader reads. The library comes when the first chart does.
 */
export function Chart(props: ChartProps) {
  return (
    <div className="chart" role="img" aria-label={props.label} style={{ height: props.height ?? 320 }}>
      <Suspense fallback={<Skeleton height="100%" radius={8} />}>
        <Canvas {...props} />
      </Suspense>
    </div>
  )
}
