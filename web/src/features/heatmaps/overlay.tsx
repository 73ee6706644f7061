import { useEffect, useRef } from 'react'
import type { HeatmapPoint, ScrollDepth } from '../../api/contract.ts'
import { percent } from '../../lib/format.ts'
import { heatColour, reachOf, type ScrollBand, scrollBands, spotsOf } from './paint.ts'

/** Drawn coarser than it is shown: heat has no edges, and a long page has many pixels. */
const FINENESS = 0.5
/** As it is shown: on a small screen a point covers more of the page. */
const RADIUS = 24

/** The heat of points, as large as the page beneath. */
export function PointsOverlay({
  points,
  width,
  height,
  scale,
}: {
  points: readonly HeatmapPoint[]
  width: number
  height: number
  scale: number
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const context = canvas.current?.getContext('2d', { willReadFrequently: true })
    if (context) paintPoints(context, points, { width, height, radius: RADIUS / Math.max(0.4, scale) })
  }, [points, width, height, scale])
  return (
    <canvas
      ref={canvas}
      className="heatmap-canvas"
      width={Math.ceil(width * FINENESS)}
      height={Math.ceil(height * FINENESS)}
    />
  )
}

function paintPoints(
  context: CanvasRenderingContext2D,
  points: readonly HeatmapPoint[],
  sheet: { readonly width: number; readonly height: number; readonly radius: number },
): void {
  const { canvas } = context
  context.clearRect(0, 0, canvas.width, canvas.height)
  const radius = sheet.radius * FINENESS
  for (const { x, y, weight } of spotsOf(points, sheet.width)) {
    if (y > sheet.height) continue
    const [left, top] = [x * FINENESS, y * FINENESS]
    const glow = context.createRadialGradient(left, top, 0, left, top, radius)
    glow.addColorStop(0, `rgb(0 0 0 / ${0.15 + 0.85 * weight})`)
    glow.addColorStop(1, 'rgb(0 0 0 / 0)')
    context.fillStyle = glow
    context.fillRect(left - radius, top - radius, 2 * radius, 2 * radius)
  }
  colour(context)
}

/** What was drawn as shades becomes colours. */
function colour(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas
  if (width === 0 || height === 0) return
  const picture = context.getImageData(0, 0, width, height)
  const { data } = picture
  const colours = Array.from({ length: 256 }, (_, shade) => heatColour(shade / 255))
  for (let at = 3; at < data.length; at += 4) {
    const shade = data[at] ?? 0
    if (shade === 0) continue
    const [red, green, blue] = colours[shade] ?? [0, 0, 0]
    data[at - 3] = red
    data[at - 2] = green
    data[at - 1] = blue
    data[at] = Math.min(215, 40 + shade)
  }
  context.putImageData(picture, 0, 0)
}

const LINES = [0.75, 0.5, 0.25]

/** How far people scrolled: bands over the page, and lines where three quarters, half and a quarter had stopped. */
export function ScrollOverlay({ depths, height }: { depths: readonly ScrollDepth[]; height: number }) {
  const bands = scrollBands(depths, height)
  return (
    <div className="heatmap-scroll">
      {bands.map((band) => (
        <div
          key={band.from}
          className="heatmap-band"
          style={{ top: band.from, height: band.to - band.from, background: bandColour(band) }}
        />
      ))}
      {LINES.map((share) => ({ share, at: reachOf(bands, share) }))
        .filter(({ at }, i, all) => at > 0 && at < height && all[i + 1]?.at !== at)
        .map(({ share, at }) => (
          <div key={share} className="heatmap-line" style={{ top: at }}>
            <span className="heatmap-line-label">{percent(share, 0)} saw the page down to here</span>
          </div>
        ))}
    </div>
  )
}

const bandColour = ({ share }: ScrollBand): string =>
  share === 0 ? 'rgb(20 24 40 / 0.55)' : `rgb(${heatColour(share).join(' ')} / 0.3)`
