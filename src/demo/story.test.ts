import { describe, expect, it } from 'vitest'
import { heatmapPoints } from '../events/index.ts'
import { DAY } from '../lib/durations.ts'
import { goodVisits, insights } from './demo-content.ts'
import { IMPORT_BREAKS_ON_DAY, SITE } from './journey.ts'
import { IMPORT_PAGE, recordings } from './recording.ts'
import { DEMO_DAYS, story } from './story.ts'

const END = Date.parse('2024-06-01T12:00:00Z')
const events = story({ end: END })
const people = (name: string) =>
  new Set(events.filter(({ event }) => event === name).map(({ distinct_id }) => distinct_id))

describe('the demo story', () => {
  it('is the same whenever it is told', () => {
    expect(story({ end: END })).toEqual(events)
    expect(story({ end: END + DAY })[0]?.uuid).toBe(events[0]?.uuid)
  })

  it('covers two months, in order, and ends now', () => {
    const times = events.map(({ at }) => at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times[0]).toBeLessThan(END - (DEMO_DAYS - 10) * DAY)
    expect(times.at(-1)).toBeLessThan(END)
    expect(times.at(-1)).toBeGreaterThan(END - DAY)
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
  })

  it('rests at weekends', () => {
    const days = new Map<number, number>()
    for (const { at } of events) {
      const day = new Date(at).getUTCDay()
      days.set(day, (days.get(day) ?? 0) + 1)
    }
    const count = (day: number) => days.get(day) ?? 0
    expect(Math.max(count(0), count(6))).toBeLessThan(Math.min(count(1), count(2), count(3), count(4)) * 0.8)
  })

  it('loses people whose import fails, most of them on Firefox since it broke', () => {
    const failed = events.filter(({ event }) => event === 'import failed')
    const firefox = failed.filter(({ properties }) => properties.$browser === 'Firefox')
    expect(firefox.length).toBeGreaterThan(failed.length * 0.3)
    expect(firefox.at(-1)?.at).toBeGreaterThan(END - (DEMO_DAYS - IMPORT_BREAKS_ON_DAY) * DAY)
    const paid = people('upgraded plan')
    const share = (some: Set<string>) => [...some].filter((id) => paid.has(id)).length / some.size
    expect(share(people('import failed'))).toBeLessThan(share(people('signed up')) / 2)
    expect(share(people('invited teammate'))).toBeGreaterThan(share(people('signed up')) * 2)
  })

  it('knows visitors who become users, companies and surveys', () => {
    const merges = events.filter(({ event, properties }) => event === '$identify' && properties.$anon_distinct_id)
    expect(merges.length).toBeGreaterThan(200)
    expect(people('survey sent').size).toBeGreaterThan(20)
    expect(events.some(({ event }) => event === '$groupidentify')).toBe(true)
  })

  it('shows on recordings what the events tell: the failing import, and the anger about it', () => {
    const told = recordings(events, { since: END - 6 * DAY, most: 40 })
    expect(told).toHaveLength(40)
    expect(new Set(told.map(({ sessionId }) => sessionId)).size).toBe(40)
    expect(recordings(events, { since: END - 6 * DAY, most: 40 })).toEqual(told)
    for (const { at, events: seen } of told) {
      const times = seen.map((one) => (one as { timestamp: number }).timestamp)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(times[0]).toBe(at)
    }
    const words = JSON.stringify(told)
    expect(words).toContain('Import failed: FileReader timed out')
    expect(words).toContain('tasks imported')
    const angry = new Set(
      events.filter(({ event }) => event === '$rageclick').map(({ properties }) => properties.$session_id),
    )
    expect(told.some(({ sessionId }) => angry.has(sessionId))).toBe(true)
  })

  it('has points for every kind of heatmap, on the page that recordings show', () => {
    const week = events.filter(({ at }) => at >= END - 6 * DAY)
    const points = week.flatMap(({ properties }) => heatmapPoints(properties).points)
    expect(new Set(points.map(({ type }) => type))).toEqual(
      new Set(['click', 'rageclick', 'deadclick', 'mousemove', 'scrolldepth']),
    )
    expect(new Set(points.map(({ url }) => url))).toEqual(new Set([`${SITE}${IMPORT_PAGE.path}`]))
    expect(points.filter(({ x, width }) => x < 0 || x > width)).toEqual([])
  })

  it.each([0, 2, 5])('has recordings for both playlists, %s days later as well', (days) => {
    const end = END + days * DAY
    const told = story({ end })
    const ids = recordings(told, { since: end - 6 * DAY, most: 40 }).map(({ sessionId }) => sessionId)
    expect(goodVisits(told, ids)).toHaveLength(6)
    const failed = new Set(
      told.filter(({ event }) => event === 'import failed').map(({ properties }) => properties.$session_id),
    )
    expect(ids.filter((id) => failed.has(id)).length).toBeGreaterThan(3)
  })

  it('has the numbers that the saved insights ask for', () => {
    const asked = JSON.stringify(insights(0).map(({ source }) => source))
    const named = [...asked.matchAll(/"(?:event|id)":"([^"]+)"/g)].map(([, name]) => name as string)
    for (const name of new Set(named)) expect(people(name).size, name).toBeGreaterThan(50)
    for (const { box } of insights(0)) if (box) expect(box.x + box.w).toBeLessThanOrEqual(12)
    expect(new Set(insights(0).map(({ name }) => name)).size).toBe(insights(null).length + 1)
  })
})
