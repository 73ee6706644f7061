import * as z from 'zod/mini'

/** Where tiles stand on a grid of 12 columns. Pure: given boxes in, boxes that do not overlap out. */
export interface Box {
  id: number
  x: number
  y: number
  w: number
  h: number
}

export const COLUMNS = 12
const SMALLEST = { w: 3, h: 3 }

const overlaps = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

export const clamped = (box: Box): Box => {
  const w = Math.max(SMALLEST.w, Math.min(COLUMNS, Math.round(box.w)))
  const h = Math.max(SMALLEST.h, Math.round(box.h))
  return { ...box, w, h, x: Math.max(0, Math.min(COLUMNS - w, Math.round(box.x))), y: Math.max(0, Math.round(box.y)) }
}

/** Puts `moved` where it is wanted, moves out of its way what stands there, and lets all float up. */
export function arranged(boxes: readonly Box[], moved?: Box): Box[] {
  const placed: Box[] = moved ? [clamped(moved)] : []
  const rest = boxes.filter(({ id }) => id !== moved?.id).map(clamped)
  for (const box of rest.sort((a, b) => a.y - b.y || a.x - b.x)) {
    const next = { ...box }
    while (placed.some((other) => overlaps(next, other))) next.y += 1
    placed.push(next)
  }
  return floated(placed)
}

function floated(boxes: readonly Box[]): Box[] {
  const settled: Box[] = []
  for (const box of [...boxes].sort((a, b) => a.y - b.y || a.x - b.x)) {
    const next = { ...box }
    while (next.y > 0 && !settled.some((other) => overlaps({ ...next, y: next.y - 1 }, other))) next.y -= 1
    settled.push(next)
  }
  return settled
}

/** Where there is no layout yet: two beside each other. */
export const fallback = (id: number, index: number): Box => ({
  id,
  x: (index % 2) * 6,
  y: Math.floor(index / 2) * 5,
  w: 6,
  h: 5,
})

const layoutsSchema = z.object({ sm: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }) })

/** Where a tile was left; the API keeps layouts as the JSON that a client sent. */
export const readLayout = (layouts: unknown): Omit<Box, 'id'> | undefined =>
  z.safeParse(layoutsSchema, layouts).data?.sm
