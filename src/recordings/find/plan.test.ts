import { describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../lib/durations.ts'
import type { RecordingsQuestion } from '../filters/question.ts'
import { planRecordings } from './plan.ts'

const NOW = Date.parse('2024-05-20T12:00:00Z')
const FACTS = { timezone: 'UTC', now: NOW, retentionDays: 30, distinctIds: undefined }
const QUESTION: RecordingsQuestion = {
  operand: 'AND',
  criteria: [],
  having: [],
  filterTestAccounts: false,
  order: 'start_time',
  descending: true,
  limit: 20,
  offset: 0,
}

describe('a query for recordings', () => {
  it('is of the last three days, and looks at the last hours first', () => {
    const plan = planRecordings(QUESTION, FACTS)
    expect(plan?.bounds).toEqual({ from: Date.parse('2024-05-17T00:00:00Z'), to: NOW + DAY })
    expect(plan?.recent).toEqual({ from: NOW - 6 * HOUR, to: NOW + DAY })
  })

  it('is of all that is kept when sessions are named, and none of it goes first', () => {
    const plan = planRecordings({ ...QUESTION, sessionIds: ['a'] }, FACTS)
    expect(plan).toMatchObject({ bounds: { from: NOW - 30 * DAY }, recent: undefined })
  })

  it.each([
    ['another order', { order: 'click_count' }],
    ['oldest first', { descending: false }],
    ['a short range', { dateFrom: '-8h' }],
  ] as const)('does not look at the last hours first with %s', (_, more) =>
    expect(planRecordings({ ...QUESTION, ...more }, FACTS)?.recent).toBeUndefined(),
  )

  it('finds nothing without sessions or persons, and reads the columns it chooses by', () => {
    expect(planRecordings({ ...QUESTION, sessionIds: [] }, FACTS)).toBeNull()
    expect(planRecordings(QUESTION, { ...FACTS, distinctIds: [] })).toBeNull()
    expect(planRecordings({ ...QUESTION, order: 'activity_score' }, FACTS)?.columns).toEqual([
      'activity_score',
      'start_time',
      'end_time',
    ])
  })
})
