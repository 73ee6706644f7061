import { describe, expect, it } from 'vitest'
import { chooseFrame, type Mark } from './choose-frame.ts'

const PAGE = 'https://site.test/prices'
const mark = (at: number, fields: Partial<Mark>): Mark => ({
  session_id: 's',
  window_id: 'w',
  at,
  type: 4,
  href: '',
  width: 0,
  height: 0,
  ...fields,
})
const loaded = (at: number, href: string, width: number, session_id = 's'): Mark[] => [
  mark(at, { type: 4, href, width, height: 600, session_id }),
  mark(at + 10, { type: 2, session_id }),
]
const moved = (at: number, href: string): Mark => mark(at, { type: 5, href })

describe('the frame of a page', () => {
  it('begins with its full snapshot and ends when it has settled', () => {
    expect(chooseFrame(loaded(1_000, `${PAGE}?a=1#b`, 800), { url: PAGE, width: 800 })).toEqual({
      session_id: 's',
      window_id: 'w',
      url: `${PAGE}?a=1#b`,
      width: 800,
      height: 600,
      start: 1_000,
      end: 6_010,
    })
  })

  it('is of the window with the nearest width', () => {
    const marks = [...loaded(0, PAGE, 400, 'narrow'), ...loaded(0, PAGE, 1_300, 'wide')]
    expect(chooseFrame(marks, { url: PAGE, width: 1_440 })).toMatchObject({ session_id: 'wide' })
    expect(chooseFrame(marks, { url: PAGE, width: 390 })).toMatchObject({ session_id: 'narrow' })
  })

  it('ends before the page is left', () => {
    const marks = [...loaded(0, PAGE, 800), ...loaded(2_000, 'https://site.test/', 800)]
    expect(chooseFrame(marks, { url: PAGE, width: 800 })).toMatchObject({ start: 0, end: 1_999 })
  })

  it('of a page that was reached without loading begins with the snapshot of the page before', () => {
    const marks = [...loaded(0, 'https://site.test/', 800), moved(60_000, PAGE), moved(61_000, 'https://site.test/x')]
    expect(chooseFrame(marks, { url: PAGE, width: 800 })).toMatchObject({
      url: PAGE,
      width: 800,
      start: 0,
      end: 60_999,
    })
  })

  it('is none without a snapshot, and none of another page', () => {
    expect(chooseFrame([mark(0, { href: PAGE, width: 800, height: 600 })], { url: PAGE, width: 800 })).toBeNull()
    expect(chooseFrame(loaded(0, `${PAGE}/more`, 800), { url: PAGE, width: 800 })).toBeNull()
    expect(chooseFrame([], { url: PAGE, width: 800 })).toBeNull()
  })
})
