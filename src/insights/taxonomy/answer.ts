/** Questions about what a project has are SQL of ours over its tables: written here, run under the fence of SQL. */
import type { TaxonomyQuery } from '../../contract/queries/index.ts'
import type { TaxonomyAnswers } from '../../contract/results/index.ts'
import type { InsightContext } from '../facts/context.ts'
import { runSql, type SqlOptions, type SqlResult } from '../kinds/sql/run.ts'
import { ATTRIBUTION_TITLES, attributionSql } from './attribution.ts'
import { groupsSql, groupsTitles } from './groups.ts'
import { describedTables, sampleStatements } from './schema.ts'
import { actorValuesSql, eventNamesSql, eventValuesSql } from './statements.ts'
import { sessionsOf, timelineSql } from './timeline.ts'

type Asked = Exclude<TaxonomyQuery, { kind: 'PersonsNode' }>
type Values = Parameters<typeof runSql>[1]['values']

const EVENTS_PER_TIMELINE = 1_000

export async function answerTaxonomy(
  context: InsightContext,
  query: Asked,
  { signal, queryId }: SqlOptions,
): Promise<TaxonomyAnswers[Asked['kind']]> {
  const ask = (sql: string, values: Values = {}): Promise<SqlResult> =>
    runSql(context, { query: sql, values }, { signal, queryId })
  const about = {
    error: null,
    hogql: null,
    timezone: context.project.timezone,
    is_cached: false,
    last_refresh: new Date(context.now).toISOString(),
  }
  const page = pageOf(query)
  switch (query.kind) {
    case 'TeamTaxonomyQuery': {
      const { results } = await ask(eventNamesSql(page.limit + 1, page.offset))
      const events = results.map(([event, count]) => ({ event: String(event), count: Number(count) }))
      return { results: events.slice(0, page.limit), hasMore: events.length > page.limit, ...page, ...about }
    }
    case 'EventTaxonomyQuery': {
      const { sql, values } = eventValuesSql(query)
      const { results } = await ask(sql, values)
      const found = results.map(([property, sample, count]) => ({
        property: String(property),
        ...samples(sample, count),
      }))
      return { results: found, ...about }
    }
    case 'ActorsPropertyTaxonomyQuery': {
      const { results } = await ask(actorValuesSql(query))
      const [row = []] = results
      const found = query.properties.map((_, i) => samples(row[2 * i], row[2 * i + 1]))
      return { results: found, ...about }
    }
    case 'GroupsQuery': {
      const { sql, values, filters } = groupsSql(query, page)
      const { results, types } = await runSql(context, { query: sql, values, filters }, { signal, queryId })
      return {
        results: results.slice(0, page.limit),
        columns: groupsTitles(query),
        types: types.map(([, type]) => type),
        hasMore: results.length > page.limit,
        ...page,
        ...about,
      }
    }
    case 'SessionAttributionExplorerQuery': {
      const { sql, filters } = attributionSql(query, page)
      const { results, types } = await runSql(context, { query: sql, values: {}, filters }, { signal, queryId })
      return {
        results: results.slice(0, page.limit),
        columns: ATTRIBUTION_TITLES,
        types: types.map(([, type]) => type),
        hasMore: results.length > page.limit,
        ...page,
        ...about,
      }
    }
    case 'SessionsTimelineQuery': {
      const { sql, values, filters } = timelineSql(query, EVENTS_PER_TIMELINE + 1)
      const { results } = await runSql(context, { query: sql, values, filters }, { signal, queryId })
      const sessions = sessionsOf(results.slice(0, EVENTS_PER_TIMELINE))
      return { results: sessions, hasMore: results.length > EVENTS_PER_TIMELINE, ...about }
    }
    case 'DatabaseSchemaQuery': {
      // A table of which nothing can be shown is listed all the same.
      const rows = new Map<string, SqlResult | undefined>()
      // One after the other: a list beside an editor is nothing to hold up other questions for.
      for (const [table, sql] of sampleStatements()) rows.set(table, await ask(sql).catch(() => undefined))
      return { tables: describedTables(rows), joins: [], results: [], ...about }
    }
  }
}

const pageOf = (query: Asked): { limit: number; offset: number } => ({
  limit:
    ('limit' in query ? query.limit : undefined) ?? ('group_type_index' in query || 'groupBy' in query ? 100 : 500),
  offset: ('offset' in query ? query.offset : undefined) ?? 0,
})

const samples = (values: unknown, count: unknown) => ({
  sample_values: Array.isArray(values) ? values.map(String) : [],
  sample_count: Number(count ?? 0),
})
