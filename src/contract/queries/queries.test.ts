import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as queries from './index.ts'

const schemas = Object.entries<unknown>(queries).flatMap(([name, value]) =>
  value instanceof z.ZodType ? [[name, value] as const] : [],
)

describe('query nodes', () => {
  it.each(schemas)('%s can be described as a JSON schema by what it takes', (_, schema) => {
    const json = z.toJSONSchema(schema, { io: 'input' })
    expect(JSON.stringify(json)).not.toContain('"not":{}')
    expect(z.fromJSONSchema(json as never)).toBeDefined()
  })

  it('are named in the description of a query', () => {
    const { $defs = {} } = z.toJSONSchema(queries.queryNodeSchema, { io: 'input' })
    const named = Object.keys($defs)
    for (const kind of queries.QUERY_KINDS) expect(named).toContain(kind)
    expect(named).toEqual(expect.arrayContaining(['EventsNode', 'PropertyFilters', 'DateRange', 'ViewNode']))
    expect(named.filter((name) => name.startsWith('__'))).toEqual([])
    const filters = $defs.PropertyFilters as { anyOf?: unknown[] }
    expect(filters.anyOf).toHaveLength(4)
  })

  it('read filters of groups instead of passing them over', () => {
    const named = { key: 'name', type: 'group', group_type_index: 0, operator: 'exact', value: 'x' }
    const query = { kind: 'GroupsQuery', group_type_index: 0, properties: [named] }
    expect(queries.querySchema.parse(query)).toMatchObject({
      properties: { values: [{ kind: 'property', type: 'group', key: 'name', values: ['x'] }] },
    })
  })
  it('know every kind', () => {
    expect([...queries.QUERY_KINDS].sort()).toEqual(
      `ActorsPropertyTaxonomyQuery ActorsQuery DatabaseSchemaQuery EventTaxonomyQuery EventsQuery
      ExperimentExposureQuery ExperimentQuery FunnelCorrelationActorsQuery FunnelCorrelationQuery FunnelsActorsQuery FunnelsQuery GroupsQuery
      HogQLQuery InsightActorsQuery LifecycleQuery PathsQuery PersonsNode RecordingsQuery RetentionQuery
      SessionAttributionExplorerQuery SessionsTimelineQuery StickinessActorsQuery StickinessQuery TeamTaxonomyQuery TrendsQuery
      WebExternalClicksTableQuery WebGoalsQuery WebOverviewQuery WebStatsTableQuery WebTrendsQuery
      WebVitalsPathBreakdownQuery WebVitalsQuery`.split(/\s+/),
    )
  })

  it('of recordings keep filters and pass over what is about the node', () => {
    const parsed = queries.querySchema.parse({ kind: 'RecordingsQuery', limit: 1, tags: {}, version: 2, source: {} })
    expect(parsed).toEqual({ kind: 'RecordingsQuery', filters: { limit: 1, source: {} } })
    expect(queries.querySchema.safeParse({ kind: 'RecordingsQuery', nonsense: 1 }).error?.issues).toMatchObject([
      { path: ['nonsense'], message: 'Recordings cannot be filtered by "nonsense".' },
    ])
  })
})
