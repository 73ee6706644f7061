import { describe, expect, it } from 'vitest'
import { heatmapStep } from './heatmap.ts'
import { pipelineEvent } from './testing/events.ts'

const WINDOW = { $viewport_width: 1000, $viewport_height: 600 }
const URL = 'https://site.test/a?b=1'

const processed = (event: string, properties: Record<string, unknown>) => {
  const item = pipelineEvent({ event, properties })
  const result = heatmapStep(item)
  return { result, points: item.heatmap, properties: item.properties }
}

describe('points of heatmaps', () => {
  it('are taken off the event that brings them', () => {
    const click = { x: 10.4, y: 20.6, type: 'click', target_fixed: false }
    const { result, points, properties } = processed('$pageleave', { ...WINDOW, $heatmap_data: { [URL]: [click] } })
    expect(result).toEqual({ kind: 'ok', warnings: [] })
    expect(points).toEqual([{ url: URL, type: 'click', x: 10, y: 21, fixed: false, width: 1000, height: 600 }])
    expect(properties).toEqual(WINDOW)
  })

  it('of scrolling are of the page before', () => {
    const { points, properties } = processed('$pageview', {
      ...WINDOW,
      $current_url: 'https://site.test/next',
      $prev_pageview_pathname: '/a',
      $prev_pageview_max_scroll: 350,
    })
    expect(points).toMatchObject([{ url: 'https://site.test/a', type: 'scrolldepth', y: 350 }])
    expect(properties).toHaveProperty('$prev_pageview_max_scroll', 350)
  })

  it.each([
    ['no sizes of the window', { $heatmap_data: { [URL]: [{ x: 1, y: 1 }] } }],
    ['no object', { ...WINDOW, $heatmap_data: [1] }],
    ['no list', { ...WINDOW, $heatmap_data: { [URL]: 'x' } }],
    ['no numbers', { ...WINDOW, $heatmap_data: { [URL]: [{ x: '1', y: 1 }] } }],
    ['no type', { ...WINDOW, $heatmap_data: { [URL]: [{ x: 1, y: 1, type: 'A "type"' }] } }],
  ])('with %s are left out, and the ledger says so', (_, properties) => {
    expect(processed('$pageview', properties)).toMatchObject({
      result: { kind: 'ok', warnings: [{ type: 'heatmap_data_invalid', details: { ignored: 1 } }] },
      points: undefined,
    })
    expect(processed('$$heatmap', properties).result.kind).toBe('drop')
  })

  it('are so many for an event, and no more', () => {
    const many = Array.from({ length: 5_010 }, () => ({ x: 1, y: 1, type: 'mousemove' }))
    const { result, points } = processed('$$heatmap', { ...WINDOW, $heatmap_data: { [URL]: many } })
    expect(points).toHaveLength(5_000)
    expect(result).toMatchObject({ kind: 'ok', warnings: [{ type: 'heatmap_data_invalid' }] })
  })

  it('are none of most events', () => {
    expect(processed('clicked', {})).toMatchObject({ result: { kind: 'ok', warnings: [] }, points: undefined })
  })
})
