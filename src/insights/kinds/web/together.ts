/** Questions of one moment: those about the same sessions are answered by one statement. */
import type { Facts } from '../../facts/facts.ts'
import type { Asker } from './asker.ts'
import type { WebFields } from './fields.ts'
import { overview } from './overview.ts'
import { type PlannedWebQuery, planWeb, type WebPlan } from './plan.ts'
import type { SessionQuestion } from './session-question.ts'
import { isBySessions, sessionTable } from './stats-table.ts'
import { sessionTotals } from './totals.ts'
import { trends } from './trends.ts'

/** Which sessions a question is about; null when it has to be asked by itself. */
export function sessionsOf(query: PlannedWebQuery): string | null {
  if (!isForGroups(query)) return null
  const { dateRange, properties, compareFilter, filterTestAccounts, doPathCleaning, conversionGoal, bots } = query
  const goal = query.kind === 'WebTrendsQuery' ? undefined : conversionGoal
  return JSON.stringify([dateRange, properties, compareFilter, filterTestAccounts, doPathCleaning, goal, bots])
}

function isForGroups(query: PlannedWebQuery): boolean {
  switch (query.kind) {
    case 'WebOverviewQuery':
      return !query.includeLive
    case 'WebTrendsQuery':
      // Longer and shorter intervals begin at another moment than days.
      return query.interval === 'day'
    default:
      return query.kind === 'WebStatsTableQuery' && isBySessions(query)
  }
}

type Kind = 'WebOverviewQuery' | 'WebStatsTableQuery' | 'WebTrendsQuery'
type Answered = { readonly plan: WebPlan; readonly fields: WebFields<Kind> }

/** The answers to questions about the same sessions. What is wrong with one is thrown when that one is asked for. */
export async function answerGroup(
  group: readonly PlannedWebQuery[],
  facts: Facts,
  runner: Asker,
): Promise<(query: PlannedWebQuery) => Answered> {
  const refused = new Map<PlannedWebQuery, unknown>()
  const planned = group.flatMap((query) => {
    try {
      const plan = planWeb(query, facts)
      const question = questionOf(query, plan)
      return question === undefined ? [] : [{ query, plan, question }]
    } catch (error) {
      refused.set(query, error)
      return []
    }
  })
  const parts = planned.flatMap(({ question }) => question.parts)
  const rows = planned[0] === undefined ? [] : await sessionTotals(planned[0].plan, parts, runner)
  const answers = new Map<PlannedWebQuery, Answered>()
  let next = 0
  for (const { query, plan, question } of planned) {
    const end = next + question.parts.length
    answers.set(query, { plan, fields: question.answer(rows.slice(next, end)) })
    next = end
  }
  return (query) => {
    const answer = answers.get(query)
    if (answer === undefined) throw refused.get(query) ?? new Error('this question is not of the group')
    return answer
  }
}

function questionOf(query: PlannedWebQuery, plan: WebPlan): SessionQuestion<Kind> | undefined {
  switch (query.kind) {
    case 'WebOverviewQuery':
      return overview(plan)
    case 'WebStatsTableQuery':
      return sessionTable(query, plan)
    case 'WebTrendsQuery':
      return trends(query, plan)
    default:
      return undefined
  }
}
