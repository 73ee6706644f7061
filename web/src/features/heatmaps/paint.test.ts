import { describe, expect, it } from 'vitest'
import { depthOf, heatColour, reachOf, scrollBands, spotsOf } from './paint.ts'
import { askedOf, commonWidth, inBand, pageName } from './question.ts'

const point = (count: number, x: number, y: number) => ({
  count,
  pointer_relative_x: x,
  pointer_y: y,
  pointer_target_fixed: false,
})
const depth = (bucket: number, count: number, cumulative: number) => ({
  scroll_depth_bucket: bucket,
  bucket_count: count,
  cumulative_count: cumulative,
})

describe('the picture of a heatmap', () => {
  it('goes from blue to red', () => {
    expect(heatColour(0)).toEqual([0, 60, 255])
    expect(heatColour(1)).toEqual([235, 40, 20])
    expect(heatColour(7)).toEqual(heatColour(1))
    expect(heatColour(0.65)).toEqual([148, 210, 30])
  })

  it('has points at their share of the width, the hottest in full', () => {
    expect(spotsOf([point(4, 0.5, 100), point(1, 1, 0), point(1, 0, -20)], 800)).toEqual([
      { x: 400, y: 100, weight: 1 },
      { x: 800, y: 0, weight: 0.5 },
    ])
    expect(depthOf([point(1, 0, 900)], [])).toBe(1_100)
    expect(depthOf([], [])).toBe(600)
  })

  it('of scrolling has bands from top to bottom, without gaps', () => {
    const bands = scrollBands([depth(600, 1, 4), depth(1_300, 3, 3)], 2_000)
    expect(bands).toEqual([
      { from: 0, to: 700, share: 1 },
      { from: 700, to: 1_400, share: 0.75 },
      { from: 1_400, to: 2_000, share: 0 },
    ])
    expect([reachOf(bands, 1), reachOf(bands, 0.5), reachOf([], 0.5)]).toEqual([700, 1_400, 0])
    expect(scrollBands([], 900)).toEqual([])
  })
})

describe('the question of a heatmap', () => {
  it('is about one page, whatever follows its address', () => {
    const { url_pattern } = askedOf({}, 'https://a.test/b+c')
    const pattern = new RegExp(`^${url_pattern}$`)
    expect(
      ['https://a.test/b+c', 'https://a.test/b+c?d', 'https://a.test/b+c#d'].every((url) => pattern.test(url)),
    ).toBe(true)
    expect(pattern.test('https://a.test/b+c/d')).toBe(false)
  })

  it('is drawn at the width that most visitors had', () => {
    const widths = [
      { viewport_width: 400, visitors: 5 },
      { viewport_width: 1_280, visitors: 3 },
      { viewport_width: 1_440, visitors: 4 },
    ]
    expect(commonWidth(widths, undefined)).toBe(400)
    expect(commonWidth(widths, 'computer')).toBe(1_440)
    expect(commonWidth(widths, 'tablet')).toBeUndefined()
    expect(inBand('phone')).toEqual({ viewport_width_min: 0, viewport_width_max: 480 })
    expect(pageName('https://a.test/b/')).toBe('a.test/b')
  })
})
