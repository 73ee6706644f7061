import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { click, consoleLine, input, meta, mouseMove, type Rrweb } from '../../../test/support/recordings.ts'
import { encodeRecording, openRecording } from '../../events/index.ts'
import type { Json } from '../../lib/json.ts'
import { acceptUpload } from './accept-upload.ts'
import { type MinuteRow, minutesOf } from './minutes.ts'
import { timedEvents } from './timed-events.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const CONTEXT = {
  project: 1,
  sessionId: 's',
  distinctId: 'ada',
  snapshotSource: 'web',
  lib: 'web',
  receivedAt: NOW,
  expiresAt: NOW,
}
const rowsOf = (events: readonly Rrweb[]) =>
  minutesOf(timedEvents(Buffer.from(JSON.stringify(events)), 0, NOW).events, CONTEXT)

/** What the table does with rows of the same minute. */
function merged(rows: readonly MinuteRow[]) {
  const sessions = new Map<number, Record<string, unknown>>()
  for (const row of rows) {
    const known = sessions.get(row.minute)
    const before = (known ?? row) as unknown as MinuteRow
    const first = known === undefined
    const sum = (key: 'click_count' | 'keypress_count' | 'console_error_count' | 'event_count') =>
      first ? row[key] : before[key] + row[key]
    sessions.set(row.minute, {
      first_at: Math.min(before.first_at, row.first_at),
      last_at: Math.max(before.last_at, row.last_at),
      active: before.active | row.active,
      start_url: before.start_url[0] <= row.start_url[0] ? before.start_url : row.start_url,
      click_count: sum('click_count'),
      keypress_count: sum('keypress_count'),
      console_error_count: sum('console_error_count'),
      event_count: sum('event_count'),
    })
  }
  return new Map([...sessions].sort(([one], [other]) => one - other))
}

describe('the minutes of a session', () => {
  const event = fc
    .tuple(fc.integer({ min: 0, max: 240_000 }), fc.constantFrom(click, input, mouseMove, meta, consoleError))
    .map(([offset, make]) => make(NOW - 300_000 + offset))

  it('are the same however the events are cut into uploads and in whatever order those come', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), fc.array(fc.nat(5)), (events, cuts) => {
        const uploads = new Map<number, Rrweb[]>()
        for (const [i, one] of events.entries()) {
          const cut = cuts[i % Math.max(cuts.length, 1)] ?? 0
          uploads.set(cut, [...(uploads.get(cut) ?? []), one])
        }
        const parts = [...uploads.values()].reverse().flatMap(rowsOf)
        expect(merged(parts)).toEqual(merged(rowsOf(events)))
      }),
    )
  })

  it('do not count a double click as three, nor a touch in a browser as a click', () => {
    const interaction = (type: number) => ({ type: 3, timestamp: NOW, data: { source: 2, type, id: 1 } })
    const [row] = rowsOf([interaction(2), interaction(2), interaction(4), interaction(7), interaction(9)])
    expect(row?.click_count).toBe(2)
  })
})

function consoleError(timestamp: number): Rrweb {
  return consoleLine(timestamp, 'error', 'broken')
}

it('a recording that is kept longer than a time of ClickHouse can say is kept until the last one it can say', () => {
  const upload = { ...CONTEXT, sentAt: null, ip: null, windowId: 'w', items: [meta(NOW)] as unknown as Json[] }
  const expiry = (days: number) => acceptUpload(openRecording(encodeRecording(upload)), 1, days).minutes[0]?.expires_at
  expect(expiry(30)).toBe(NOW / 1000 + 30 * 86_400)
  expect(expiry(36_500)).toBe(2 ** 32 - 1)
})
