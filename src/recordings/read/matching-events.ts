import { join, sql, uint } from '../../engines/clickhouse/index.ts'
import { type EventCriterion, sessionFinder } from '../../insights/index.ts'
import { DAY } from '../../lib/durations.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { filtersIn, type RecordingsQuestion } from '../filters/question.ts'
import { recordingsById } from '../find/find.ts'
import type { RecordingsContext } from './context.ts'

const MOST = 1_000

/** The uuids of the events of one recording that match the filters, in order of time: a player marks them. */
export async function matchingEvents(context: RecordingsContext, question: RecordingsQuestion): Promise<string[]> {
  const [sessionId, ...more] = question.sessionIds ?? []
  if (sessionId === undefined || more.length > 0)
    throw new InvalidQuery('Name exactly one recording, such as ["<session id>"].', ['session_ids'])
  const wanted = question.criteria.flatMap((criterion): EventCriterion[] => {
    if (criterion.kind === 'event') return criterion.negated ? [] : [criterion]
    if (criterion.kind !== 'property' || criterion.filter.type !== 'event') return []
    return [{ properties: { kind: 'group', type: 'AND', values: [criterion.filter] } }]
  })
  if (wanted.length === 0)
    throw new InvalidQuery('Filter by an event or by a property of events: only those can match.', ['events'])
  const recording = (await recordingsById(context, [sessionId])).get(sessionId)
  if (!recording) throw new InvalidQuery(undefined, [], 'not_found')
  const bounds = { from: Date.parse(recording.start_time) - DAY, to: Date.parse(recording.end_time) + DAY }
  const finder = await sessionFinder(context.insight, filtersIn(question), context)
  const found = wanted.map((criterion) => finder.eventsWith(criterion, bounds, sessionId))
  const { rows } = await context.insight.clickhouse.query<{ uuid: string }>(
    sql`SELECT uuid FROM (${join(found, ' UNION ALL ')}) GROUP BY uuid ORDER BY min(timestamp), uuid LIMIT ${uint(MOST)}`,
    { signal: context.signal },
  )
  return rows.map(({ uuid }) => uuid)
}
