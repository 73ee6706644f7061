/** Visitors and views by what sessions began with or ended with, or by what their events were about. */
import type { WebBreakdown, WebStatsTableQuery } from '../../../contract/queries/index.ts'
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import type { Asker } from './asker.ts'
import { runEventTable } from './event-table.ts'
import type { WebFields } from './fields.ts'
import { cleaned } from './paths.ts'
import type { WebPlan } from './plan.ts'
import { both, ofSession, sessionRows } from './session-rows.ts'
import { paged, type TableRow, tableFields } from './table.ts'

/** Breakdowns by one column of sessions. */
const COLUMN: Readonly<Partial<Record<WebBreakdown, string>>> = {
  InitialChannelType: '$channel_type',
  InitialReferringDomain: '$entry_referring_domain',
  InitialUTMSource: '$entry_utm_source',
  InitialUTMCampaign: '$entry_utm_campaign',
  InitialUTMMedium: '$entry_utm_medium',
  InitialUTMTerm: '$entry_utm_term',
  InitialUTMContent: '$entry_utm_content',
  Browser: '$browser',
  OS: '$os',
  Viewport: '$viewport',
  DeviceType: '$device_type',
  Country: '$geoip_country_code',
  Timezone: '$timezone',
  Language: '$browser_language',
  ExitClick: '$last_external_click_url',
}

function labelOf(query: WebStatsTableQuery, plan: WebPlan): Fragment | undefined {
  const column = (name: string) => ofSession(name, plan)
  const page = (host: string, path: string) => {
    const shown = cleaned(column(path), plan)
    return query.includeHost ? sql`concat(${column(host)}, ${shown})` : shown
  }
  const { breakdownBy } = query
  const single = COLUMN[breakdownBy]
  if (single !== undefined) return column(single)
  switch (breakdownBy) {
    case 'InitialPage':
      return page('$entry_hostname', '$entry_pathname')
    case 'ExitPage':
      return page('$end_hostname', '$end_pathname')
    case 'InitialUTMSourceMediumCampaign': {
      const parts = ['$entry_utm_source', '$entry_utm_medium', '$entry_utm_campaign'].map(
        (name) => sql`if(${column(name)} = '', '(none)', ${column(name)})`,
      )
      return sql`arrayStringConcat([${join(parts, ', ')}], ' / ')`
    }
    case 'Region':
      return sql`[${column('$geoip_country_code')}, ${column('$geoip_subdivision_1_code')}, ${column('$geoip_subdivision_1_name')}]`
    case 'City':
      return sql`[${column('$geoip_country_code')}, ${column('$geoip_city_name')}]`
    default:
      return undefined
  }
}

export async function runStatsTable(
  query: WebStatsTableQuery,
  plan: WebPlan,
  runner: Asker,
): Promise<WebFields<'WebStatsTableQuery'>> {
  const label = labelOf(query, plan)
  if (label === undefined) return runEventTable(query, plan, runner)
  const names = columnsOf(query, plan)
  const columns = names.map((name) => MEASURES[name]())
  // A session without a click that led outside has nothing to show there.
  const where = query.breakdownBy === 'ExitClick' ? sql`WHERE label != ''` : sql``
  const statement = sql`SELECT label, ${join(columns, ', ')} FROM (${sessionRows(plan, { label })}) ${where} GROUP BY label`
  const rows = await runner.ask<TableRow>(paged(statement, query, names))
  return tableFields(rows, query, names, { compared: plan.previous !== undefined })
}

const MEASURES = {
  visitors: () => both('visitors', (when) => sql`uniqExactArrayIf(persons, ${when})`),
  views: () => both('views', (when) => sql`sumIf(page_count, ${when})`),
  clicks: () => both('clicks', (when) => sql`countIf(${when})`),
  bounce_rate: () => both('bounce_rate', (when) => sql`avgOrNullIf(is_bounce, ${when})`),
  total_conversions: () => both('total_conversions', (when) => sql`sumIf(goal_count, ${when})`),
  unique_conversions: () => both('unique_conversions', (when) => sql`uniqExactArrayIf(goal_persons, ${when})`),
  conversion_rate: () =>
    both(
      'conversion_rate',
      (when) => sql`uniqExactArrayIf(goal_persons, ${when}) / nullIf(uniqExactArrayIf(persons, ${when}), 0)`,
    ),
} as const

function columnsOf(query: WebStatsTableQuery, plan: WebPlan): (keyof typeof MEASURES)[] {
  if (plan.goal !== undefined) return ['visitors', 'total_conversions', 'unique_conversions', 'conversion_rate']
  if (query.breakdownBy === 'ExitClick') return ['visitors', 'clicks']
  return ['visitors', 'views', ...(query.includeBounceRate ? (['bounce_rate'] as const) : [])]
}
