import { momentOf, refuseCrossed } from '../../insights/index.ts'
import { DAY, HOUR } from '../../lib/durations.ts'
import type { RecordingsQuestion } from '../filters/question.ts'
import type { Bounds } from './conditions.ts'
import type { RecordingFacts } from './facts.ts'
import type { SessionColumn } from './session-columns.ts'

const RECENT = 6 * HOUR
const DEFAULT_FROM = '-3d'

export interface RecordingsPlan {
  readonly bounds: Bounds
  /**
   * In a long range, newest first, the last hours are often enough: they are searched before the whole range. Undefined
   * when that would not help.
   */
  readonly recent: Bounds | undefined
  /** What a page is chosen by; the other columns are read for the recordings of the page only. */
  readonly columns: readonly SessionColumn[]
}

type Known = Pick<RecordingFacts, 'timezone' | 'now' | 'retentionDays' | 'distinctIds'>

/** Null when nothing can match: no session or no person is left. */
export function planRecordings(question: RecordingsQuestion, facts: Known): RecordingsPlan | null {
  if (question.sessionIds?.length === 0 || facts.distinctIds?.length === 0) return null
  const asked = boundsOf(question, facts)
  const bounds = { from: Math.max(asked.from, 0), to: Math.min(asked.to, facts.now + DAY) }
  return {
    bounds,
    recent: recentOf(question, facts, bounds),
    columns: [question.order, ...question.having.map(({ column }) => column), 'start_time', 'end_time'],
  }
}

function recentOf(question: RecordingsQuestion, { now, distinctIds }: Known, bounds: Bounds): Bounds | undefined {
  const named = question.sessionIds !== undefined || question.actors !== undefined || distinctIds !== undefined
  if (question.order !== 'start_time' || !question.descending || named) return undefined
  const from = Math.min(bounds.to, now) - RECENT
  return from - bounds.from > RECENT ? { ...bounds, from } : undefined
}

/**
 * The time range, within the project's retention. With sessions or persons given the default of three days does not
 * apply.
 */
function boundsOf(question: RecordingsQuestion, { timezone, now, retentionDays }: Known): Bounds {
  const time = { timezone, now }
  const oldest = now - retentionDays * DAY
  const named = question.sessionIds !== undefined || question.actors !== undefined
  const from = question.dateFrom === undefined && !named ? DEFAULT_FROM : question.dateFrom
  refuseCrossed(question.dateFrom, question.dateTo, time)
  return {
    from: from ? Math.max(momentOf(from, time, ['date_from']), oldest) : oldest,
    to: question.dateTo ? momentOf(question.dateTo, time, ['date_to']) : now + DAY,
  }
}
