import type { InsightContext } from '../../facts/context.ts'
import { runTable, type SqlOptions } from '../sql/index.ts'
import { type AskedEvents, fillingOf, planEvents } from './plan.ts'
import { type EventsTable, eventsTable } from './result.ts'

export async function runEventsQuery(
  context: InsightContext,
  query: AskedEvents,
  options: SqlOptions = {},
): Promise<EventsTable> {
  const { answer, ...plan } = await runTable(context, fillingOf(query), (facts) => planEvents(query, facts), options)
  return eventsTable(plan, answer)
}
