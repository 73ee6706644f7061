/** How one person's properties changed, as far as they matter to a question: one point for each run of equal values. */

import type { PropertyFilter, PropertyGroup, TrendsQuery } from '../../contract/queries/index.ts'
import { and, type Fragment, join, or, sql, strings, uuid } from '../../engines/clickhouse-sql.ts'
import { type Json, parseJson } from '../../lib/json.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { gatherFacts } from '../facts/gather.ts'
import { planCommon, scopeOf } from '../plan/plan.ts'
import { StatementRunner } from '../run/statement-runner.ts'
import { seriesConditions } from '../sql/series.ts'
import { within } from '../sql/time.ts'

interface PropertiesTimeline {
  readonly points: readonly {
    readonly timestamp: string
    readonly properties: Json
    readonly relevant_event_count: number
  }[]
  readonly crucial_property_keys: readonly string[]
  readonly effective_date_from: string
  readonly effective_date_to: string
}

export async function propertiesTimeline(
  context: InsightContext,
  query: TrendsQuery,
  personUuid: string,
  { signal }: RunOptions = {},
): Promise<PropertiesTimeline> {
  const runner = new StatementRunner(context.clickhouse, signal)
  const plan = planCommon(query, query.interval, await gatherFacts([query], context, runner))
  const keys = crucialKeys(query)
  const scope = scopeOf(plan)
  const values: Fragment[] = keys.map((key) => sql`ifNull(${scope.property({ type: 'person', key })}, '')`)
  const asked = query.series.map((node) => and(seriesConditions(scope, node, plan.operators)))
  const where = and([
    scope.ofProject(),
    within(plan.range.from, plan.range.to),
    sql`${scope.person()} = ${uuid(personUuid)}`,
    ...(asked.length > 0 ? [or(asked)] : []),
  ])
  const all = values.length === 0 ? strings([]) : sql`[${join(values, ', ')}]`
  const rows = await runner.ask<{ at: string; properties: string; events: number }>(sql`
SELECT toString(min(moment)) AS at, argMin(person_properties, moment) AS properties, count() AS events
FROM (
  SELECT moment, person_properties, sum(changed) OVER (ORDER BY number) AS run
  FROM (
    SELECT moment, person_properties, number, number = 1 OR crucial != lagInFrame(crucial) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS changed
    FROM (
      SELECT e.timestamp AS moment, e.person_properties AS person_properties, ${all} AS crucial, row_number() OVER (ORDER BY e.timestamp, e.uuid) AS number
      FROM ${scope.from()}
      WHERE ${where}
    )
  )
)
GROUP BY run
ORDER BY run`)
  return {
    points: rows.map(({ at, properties, events }) => ({
      timestamp: `${at.replace(' ', 'T')}Z`,
      properties: properties === '' ? {} : parseJson(properties),
      relevant_event_count: Number(events),
    })),
    crucial_property_keys: keys,
    effective_date_from: new Date(plan.range.from).toISOString(),
    effective_date_to: new Date(plan.range.to).toISOString(),
  }
}

/** The properties of persons that the question filters or breaks down by. */
function crucialKeys(query: TrendsQuery): string[] {
  const groups = [query.properties, ...query.series.flatMap((node) => [node.properties, node.fixedProperties])]
  const { breakdown, breakdown_type, breakdowns } = query.breakdownFilter ?? {}
  const single = breakdown_type === 'person' ? [breakdown ?? []].flat().map(String) : []
  const several = (breakdowns ?? []).filter(({ type }) => type === 'person').map(({ property }) => String(property))
  return [...new Set([...groups.flatMap(personKeys), ...single, ...several])].sort()
}

const personKeys = (node: PropertyGroup | PropertyFilter): string[] =>
  node.kind === 'group' ? node.values.flatMap(personKeys) : node.type === 'person' ? [node.key] : []
