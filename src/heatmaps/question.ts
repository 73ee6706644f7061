/** Which points a question is about, as conditions on the table `heatmaps`. */
import type { HeatmapQuery } from '../contract/resources/heatmap.ts'
import { and, type Fragment, moment, sql, str, uint } from '../engines/clickhouse/index.ts'
import {
  type InsightContext,
  momentOf,
  refuseCrossed,
  refusePattern,
  StatementRunner,
  sessionFinder,
  testAccountFilters,
} from '../insights/index.ts'
import { DAY } from '../lib/durations.ts'
import { isDateOnly } from '../lib/parse-date.ts'

export interface HeatmapContext {
  readonly insight: InsightContext
  readonly signal?: AbortSignal | undefined
}

type Asked = Omit<HeatmapQuery, 'type' | 'aggregation'>

export interface Question {
  readonly where: Fragment
  readonly runner: StatementRunner
}

export async function readQuestion({ insight, signal }: HeatmapContext, asked: Asked): Promise<Question> {
  const runner = new StatementRunner(insight.clickhouse, signal)
  const bounds = boundsOf(insight, asked)
  const pattern = asked.url_pattern === undefined ? undefined : wholeUrl(asked.url_pattern)
  if (pattern !== undefined) await refusePattern(pattern, ['url_pattern'], runner)
  const { viewport_width_min: min, viewport_width_max: max } = asked
  const where = and([
    sql`h.project_id = ${uint(insight.project.id)}`,
    sql`h.timestamp >= ${moment(bounds.from)}`,
    sql`h.timestamp < ${moment(bounds.to)}`,
    ...(asked.url_exact === undefined ? [] : [sql`h.url = ${str(asked.url_exact)}`]),
    ...(pattern === undefined ? [] : [sql`match(h.url, ${str(pattern)})`]),
    ...(min === undefined ? [] : [sql`h.viewport_width >= ${uint(min)}`]),
    ...(max === undefined ? [] : [sql`h.viewport_width <= ${uint(max)}`]),
    ...(asked.bots === 'include' ? [] : [sql`h.is_bot = ${uint(asked.bots === 'only' ? 1 : 0)}`]),
    ...(asked.filter_test_accounts ? await notOfTestAccounts({ insight, signal }, bounds) : []),
  ])
  return { where, runner }
}

interface Bounds {
  readonly from: number
  readonly to: number
}

function boundsOf({ project, now }: InsightContext, { date_from, date_to }: Asked): Bounds {
  const time = { timezone: project.timezone, now }
  refuseCrossed(date_from, date_to, time)
  const to = date_to === undefined ? now + DAY : momentOf(date_to, time, ['date_to'])
  return {
    from: date_from === 'all' ? 0 : Math.max(0, momentOf(date_from, time, ['date_from'])),
    to: date_to !== undefined && isDateOnly(date_to) ? to + DAY : to,
  }
}

/** The pattern is of whole URLs, and `*` may be written for any text, as in addresses with wildcards. */
const wholeUrl = (pattern: string): string => `^${withWildcards(pattern.replace(/^\^/, '').replace(/\$$/, ''))}$`

/** A `*` behind `.`, `]` or `)` repeats, as in any regular expression. */
const withWildcards = (pattern: string): string => pattern.replace(/(^|[^.\])\\])\*/g, '$1.+')

/** Points of sessions with an event that passes the project's filters. */
async function notOfTestAccounts({ insight, signal }: HeatmapContext, { from, to }: Bounds): Promise<Fragment[]> {
  const filters = testAccountFilters(insight)
  if (filters.values.length === 0) return []
  const finder = await sessionFinder(insight, [filters], { signal })
  return [sql`h.session_id IN (${finder.sessionsWith({ properties: filters }, { from: from - DAY, to: to + DAY })})`]
}

/** Who a point is of; of merged persons, the survivor. */
export const visitorsOf = ({ insight }: HeatmapContext): { readonly visitor: Fragment; readonly from: Fragment } =>
  insight.hasOverrides
    ? {
        visitor: sql`if(empty(o.person_id), h.person_id, o.person_id)`,
        from: sql`heatmaps AS h LEFT ANY JOIN (
          SELECT old_person_id, argMax(person_id, version) AS person_id FROM person_overrides
          WHERE project_id = ${uint(insight.project.id)} GROUP BY old_person_id HAVING argMax(is_deleted, version) = 0
        ) AS o ON h.person_id = o.old_person_id`,
      }
    : { visitor: sql`h.person_id`, from: sql`heatmaps AS h` }
