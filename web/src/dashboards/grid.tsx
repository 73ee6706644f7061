import { Link } from '@tanstack/react-router'
import { type PointerEvent, useRef, useState } from 'react'
import type { Tile } from '../api/types.ts'
import { useProjectParams } from '../frame/project.tsx'
import { draftOf } from '../insights/saved.ts'
import { InsightTile } from '../insights/tile.tsx'
import { IconButton } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState } from '../ui/states.tsx'
import { arranged, type Box, COLUMNS, clamped, fallback } from './layout.ts'
import './grid.css'

const ROW = 72
const GAP = 16

/**
 * The tiles. While arranging, a tile follows the pointer by its handle and grows by its corner; the arrow keys do the same
 * (with Shift they resize).
 */
export function Grid({
  tiles,
  editing,
  dates,
  onArrange,
}: {
  tiles: readonly Tile[]
  editing: boolean
  dates: { from: string; to?: string } | undefined
  onArrange: (boxes: Box[]) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const stored = arranged(
    tiles.map((tile, index) => ({ ...fallback(tile.id, index), ...tile.layouts?.sm, id: tile.id })),
  )
  const [dragged, setDragged] = useState<Box[] | null>(null)
  const boxes = dragged ?? stored

  const finish = (next: Box[]) => {
    onArrange(next)
    setDragged(next)
  }

  const begin = (event: PointerEvent, id: number, mode: 'move' | 'size') => {
    const grid = host.current
    const start = boxes.find((box) => box.id === id)
    if (!grid || !start) return
    event.preventDefault()
    const column = (grid.clientWidth + GAP) / COLUMNS
    const from = { x: event.clientX, y: event.clientY }
    let latest = boxes
    const move = (at: globalThis.PointerEvent) => {
      const dx = (at.clientX - from.x) / column
      const dy = (at.clientY - from.y) / (ROW + GAP)
      const wanted =
        mode === 'move'
          ? { ...start, x: start.x + dx, y: start.y + dy }
          : { ...start, w: start.w + dx, h: start.h + dy }
      latest = arranged(stored, clamped(wanted))
      setDragged(latest)
    }
    const end = () => {
      window.removeEventListener('pointermove', move)
      finish(latest)
    }
    window.addEventListener('pointermove', move)
    window.addEventListener('pointerup', end, { once: true })
  }

  const nudge = (event: React.KeyboardEvent, id: number) => {
    const box = boxes.find((other) => other.id === id)
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (!box || !step) return
    event.preventDefault()
    const [dx = 0, dy = 0] = step
    finish(
      arranged(
        boxes,
        event.shiftKey ? { ...box, w: box.w + dx, h: box.h + dy } : { ...box, x: box.x + dx, y: box.y + dy },
      ),
    )
  }

  return (
    <div className={`grid ${editing ? 'grid-editing' : ''}`} ref={host}>
      {tiles.map((tile) => {
        const box = boxes.find(({ id }) => id === tile.id) as Box
        return (
          <section
            key={tile.id}
            className="tile"
            style={{ gridColumn: `${box.x + 1} / span ${box.w}`, gridRow: `${box.y + 1} / span ${box.h}` }}
            aria-label={tile.insight?.name || tile.insight?.derived_name || 'Insight'}
          >
            <TileContent tile={tile} dates={dates} height={box.h * (ROW + GAP) - GAP - 76} />
            {editing && (
              <>
                <IconButton
                  label="Move: drag, or use the arrow keys; with Shift they resize"
                  icon="drag"
                  small
                  className="tile-handle"
                  onPointerDown={(event) => begin(event, tile.id, 'move')}
                  onKeyDown={(event) => nudge(event, tile.id)}
                />
                <span className="tile-corner" onPointerDown={(event) => begin(event, tile.id, 'size')} />
              </>
            )}
          </section>
        )
      })}
    </div>
  )
}

function TileContent({
  tile,
  dates,
  height,
}: {
  tile: Tile
  dates: { from: string; to?: string } | undefined
  height: number
}) {
  const params = useProjectParams()
  const insight = tile.insight
  const draft = insight ? draftOf(insight) : undefined
  return (
    <>
      <header className="tile-head">
        {insight ? (
          <Link
            to="/project/$projectId/insights/$shortId"
            params={{ ...params, shortId: insight.short_id }}
            search={{} as never}
            className="tile-title truncate"
          >
            {insight.name || insight.derived_name || 'Untitled'}
          </Link>
        ) : (
          <span>Text</span>
        )}
        <Icon name="right" size={14} className="faint" />
      </header>
      <div className="tile-body" tabIndex={0}>
        {draft ? (
          <InsightTile draft={dates ? { ...draft, ...dates } : draft} height={height} />
        ) : (
          <EmptyState icon="sql" title="Open it to see it" />
        )}
      </div>
    </>
  )
}
