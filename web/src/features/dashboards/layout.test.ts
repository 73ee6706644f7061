import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arranged, type Box, COLUMNS, clamped } from './layout.ts'

const box = fc.record({
  id: fc.nat(),
  x: fc.integer({ min: -3, max: 14 }),
  y: fc.nat(20),
  w: fc.integer({ min: 1, max: 14 }),
  h: fc.integer({ min: 1, max: 8 }),
})
const boxes = fc.uniqueArray(box, { selector: ({ id }) => id, maxLength: 12 })
const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

describe('tiles on a dashboard', () => {
  it('never overlap and never leave the grid, wherever one is dragged', () => {
    fc.assert(
      fc.property(boxes, box, (all, moved) => {
        const result = arranged(
          all,
          all.some(({ id }) => id === moved.id) ? moved : all[0] && { ...moved, id: all[0].id },
        )
        expect(result).toHaveLength(all.length)
        for (const [index, one] of result.entries()) {
          expect(one.x >= 0 && one.x + one.w <= COLUMNS).toBe(true)
          for (const other of result.slice(index + 1)) expect(overlap(one, other)).toBe(false)
        }
      }),
    )
  })

  it('stay where they are when nothing moves', () => {
    fc.assert(
      fc.property(boxes, (all) => {
        const once = arranged(all)
        const byId = (list: Box[]) => [...list].sort((a, b) => a.id - b.id)
        expect(byId(arranged(once))).toEqual(byId(once))
      }),
    )
  })

  it('have a smallest size', () => {
    expect(clamped({ id: 1, x: 11, y: 0, w: 1, h: 1 })).toEqual({ id: 1, x: 9, y: 0, w: 3, h: 3 })
  })
})
