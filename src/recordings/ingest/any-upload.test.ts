import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyJson, anyWord } from '../../../test/support/any-json.ts'
import { encodeRecording, openRecording } from '../../events/index.ts'
import type { Json } from '../../lib/json.ts'
import { acceptUpload } from './accept-upload.ts'
import { chunkRowsAsBinary, minuteRowsAsNdjson } from './rows.ts'
import { CONSOLE_PLUGIN } from './rrweb.ts'

const word = anyWord('warn', 'error', 'log')
const anything = anyJson(word)

const consoleLine = fc.record({ level: fc.oneof(word, anything), payload: anything }, { requiredKeys: ['level'] })
const data = fc.oneof(
  anything,
  { arbitrary: fc.record({ plugin: fc.constant(CONSOLE_PLUGIN), payload: consoleLine }), weight: 3 },
  fc.record({ source: anything, type: anything }),
  fc.record({ href: anything, payload: fc.record({ href: anything }) }),
)
const item = fc.oneof(
  { arbitrary: fc.record({ type: fc.integer({ min: 2, max: 6 }), timestamp: fc.nat(), data }), weight: 5 },
  anything,
)

/** One bad upload would otherwise stop those of everybody: they are stored in order. */
it('whatever an upload holds, it becomes rows that can be written', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), (items) => {
      const upload = {
        project: 1,
        sessionId: 's',
        windowId: 'w',
        distinctId: 'ada',
        snapshotSource: 'web',
        lib: 'web',
        receivedAt: Date.UTC(2026, 0, 1),
        sentAt: null,
        ip: null,
        items: items as Json[],
      }
      const { chunks, minutes } = acceptUpload(openRecording(encodeRecording(upload)), 1, 30)
      expect(chunkRowsAsBinary(chunks).length > 0).toBe(chunks.length > 0)
      expect(minuteRowsAsNdjson(minutes).length).toBeGreaterThan(0)
      for (const { console_levels } of chunks)
        for (const level of console_levels) expect(['log', 'warn', 'error']).toContain(level)
    }),
    { numRuns: 500 },
  )
})
