import { describe, expect, it } from 'vitest'
import type { EventRow, ProjectWarning } from '../events/index.ts'
import { liveBatches } from './live-samples.ts'

const row = (uuid: string, projectId = 1): EventRow => ({
  projectId,
  uuid,
  event: 'seen',
  timestamp: 1,
  receivedAt: 1,
  distinctId: 'me',
  personId: 'p',
  personMode: 'full',
  personCreatedAt: 0,
  sessionId: '',
  groups: [],
  elementsChain: '',
  properties: { a: 1, long: 'x'.repeat(5_000) },
  personProperties: {},
})
const warning = (type: ProjectWarning['type'], uuid: string | null): ProjectWarning => ({
  project: 1,
  at: 2,
  type,
  uuid,
  event: null,
  distinctId: null,
  details: {},
})

describe('what watchers of a project are shown', () => {
  it('is nothing of projects that nobody watches', () => {
    expect(liveBatches([row('a', 2)], [], new Set([1]))).toEqual([])
    expect(liveBatches([row('a')], [], new Set())).toEqual([])
  })

  it('tells stored, mended and dropped events apart, with the reason in words', () => {
    const [batch] = liveBatches(
      [row('a'), row('b')],
      [warning('timestamp_unparsable', 'a'), warning('distinct_id_missing', null)],
      new Set([1]),
    )
    expect(batch).toMatchObject({ stored: 2, warned: 2 })
    const byUuid = Object.fromEntries(batch?.samples.map((sample) => [sample.uuid, sample]) ?? [])
    expect(byUuid.a).toMatchObject({ outcome: 'stored', warnings: [{ title: 'Timestamp not understood' }] })
    expect(byUuid.b).toMatchObject({ outcome: 'stored', warnings: [], properties: { a: 1 } })
    expect(byUuid.null).toMatchObject({ outcome: 'dropped', warnings: [{ type: 'distinct_id_missing' }] })
  })

  it('is bounded, and problems are never crowded out', () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => row(String(i)))
    const [batch] = liveBatches(rows, [warning('event_without_name', null)], new Set([1]))
    expect(batch?.stored).toBe(1_000)
    expect(batch?.samples).toHaveLength(50)
    expect(batch?.samples.filter(({ outcome }) => outcome === 'dropped')).toHaveLength(1)
  })
})
