import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import type { DashboardTile } from '../../api/contract.ts'
import { useProjectParams } from '../../api/project.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { Icon } from '../../ui/icon.tsx'
import { arranged, type Box, COLUMNS, clamped, fallback, readLayout } from './layout.ts'
import { type ForAll, TileBody } from './tile-body.tsx'
import './grid.css'

const ROW = 72
const GAP = 16
/** Of a tile: its border, its title and the room around its picture. */
const AROUND = 68

/**
 * The tiles. While arranging, a tile follows the pointer by its handle and grows by its corner; the arrow keys do the
 * same (with Shift they resize).
 */
export function Grid({
  tiles,
  editing,
  forAll,
  onArrange,
  onRemove,
  onText,
}: {
  tiles: readonly DashboardTile[]
  editing: boolean
  forAll: ForAll
  onArrange: (boxes: Box[]) => void
  onRemove: (tile: DashboardTile) => void
  onText: (tile: DashboardTile) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<ReadonlyMap<number, Box>>(new Map())
  const [held, setHeld] = useState<number | null>(null)
  const boxes = arranged(
    tiles.map(
      (tile, index) => moved.get(tile.id) ?? { ...fallback(tile.id, index), ...readLayout(tile.layouts), id: tile.id },
    ),
  )
  const keep = (next: readonly Box[]) => setMoved(new Map(next.map((box) => [box.id, box])))
  const finish = (next: Box[]) => {
    keep(next)
    onArrange(next)
  }

  const begin = (event: PointerEvent, id: number, mode: 'move' | 'size') => {
    const grid = host.current
    const start = boxes.find((box) => box.id === id)
    if (!grid || !start || event.button !== 0) return
    event.preventDefault()
    const column = (grid.clientWidth + GAP) / COLUMNS
    const from = { x: event.clientX, y: event.clientY }
    const before = boxes
    let latest = boxes
    setHeld(id)
    const move = (at: globalThis.PointerEvent) => {
      const dx = (at.clientX - from.x) / column
      const dy = (at.clientY - from.y) / (ROW + GAP)
      const wanted =
        mode === 'move'
          ? { ...start, x: start.x + dx, y: start.y + dy }
          : { ...start, w: start.w + dx, h: start.h + dy }
      latest = arranged(before, clamped(wanted))
      keep(latest)
    }
    const end = (at: globalThis.PointerEvent) => {
      window.removeEventListener('pointermove', move)
      window.removeEventListener('pointerup', end)
      window.removeEventListener('pointercancel', end)
      setHeld(null)
      if (at.type === 'pointercancel') keep(before)
      else if (latest !== before) finish(latest)
    }
    window.addEventListener('pointermove', move)
    window.addEventListener('pointerup', end)
    window.addEventListener('pointercancel', end)
  }

  const nudge = (event: KeyboardEvent, id: number) => {
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
    <div className={`grid ${editing ? 'grid-editing' : ''} ${held === null ? '' : 'grid-held'}`} ref={host}>
      {tiles.map((tile) => {
        const box = boxes.find(({ id }) => id === tile.id) as Box
        const name = tile.insight?.name || tile.insight?.derived_name || (tile.text ? 'Text' : 'Insight')
        return (
          <section
            key={tile.id}
            className={`tile ${held === tile.id ? 'tile-held' : ''}`}
            style={{ gridColumn: `${box.x + 1} / span ${box.w}`, gridRow: `${box.y + 1} / span ${box.h}` }}
            aria-label={name}
          >
            <header className="tile-head">
              {editing && (
                <IconButton
                  label="Move: drag, or use the arrow keys; with Shift they resize"
                  icon="drag"
                  small
                  className="tile-handle"
                  onPointerDown={(event) => begin(event, tile.id, 'move')}
                  onKeyDown={(event) => nudge(event, tile.id)}
                />
              )}
              <TileTitle tile={tile} />
              {editing && tile.text && (
                <IconButton label="Edit the text" icon="edit" small onClick={() => onText(tile)} />
              )}
              {editing && (
                <IconButton
                  label={`Remove ${name} from this dashboard`}
                  icon="close"
                  small
                  onClick={() => onRemove(tile)}
                />
              )}
            </header>
            <TileBody tile={tile} forAll={forAll} height={box.h * (ROW + GAP) - GAP - AROUND} />
            {editing && (
              <span
                className="tile-corner"
                title="Drag to resize"
                onPointerDown={(event) => begin(event, tile.id, 'size')}
              />
            )}
          </section>
        )
      })}
    </div>
  )
}

function TileTitle({ tile: { insight } }: { tile: DashboardTile }) {
  const params = useProjectParams()
  if (!insight) return <span className="grow" />
  return (
    <Link
      to="/project/$projectId/insights/$shortId"
      params={{ ...params, shortId: insight.short_id }}
      className="tile-title"
      title={insight.description || undefined}
    >
      <span className="truncate">{insight.name || insight.derived_name || 'Untitled'}</span>
      <Icon name="right" size={14} className="faint" />
    </Link>
  )
}
