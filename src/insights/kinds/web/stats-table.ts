/** Visitors and views by what sessions began with or ended with. */
import type { WebBreakdown, WebStatsTableQuery } from '../../../contract/queries/index.ts'
import { join, sql } from '../../../engines/clickhouse-sql.ts'
import { CONVERSION_COLUMNS } from './event-table.ts'
import { cleaned } from './paths.ts'
import type { WebPlan } from './plan.ts'
import type { SessionQuestion } from './session-question.ts'
import { orderedColumn, pageOf, tableFields } from './table.ts'
import type { Label, Measure } from './totals.ts'

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

/** Undefined when the table is by what events are about. */
function labelOf(query: WebStatsTableQuery, plan: WebPlan): Label | undefined {
  if (!isBySessions(query)) return undefined
  const page =
    (host: string, path: string): Label =>
    (of) => {
      const shown = cleaned(of(path), plan)
      return query.includeHost ? sql`concat(${of(host)}, ${shown})` : shown
    }
  const { breakdownBy } = query
  const single = COLUMN[breakdownBy]
  if (single !== undefined) return (of) => of(single)
  switch (breakdownBy) {
    case 'InitialPage':
      return page('$entry_hostname', '$entry_pathname')
    case 'ExitPage':
      return page('$end_hostname', '$end_pathname')
    case 'InitialUTMSourceMediumCampaign':
      return (of) => {
        const parts = ['$entry_utm_source', '$entry_utm_medium', '$entry_utm_campaign'].map(
          (name) => sql`if(${of(name)} = '', '(none)', ${of(name)})`,
        )
        return sql`arrayStringConcat([${join(parts, ', ')}], ' / ')`
      }
    case 'Region':
      return (of) =>
        sql`[${of('$geoip_country_code')}, ${of('$geoip_subdivision_1_code')}, ${of('$geoip_subdivision_1_name')}]`
    case 'City':
      return (of) => sql`[${of('$geoip_country_code')}, ${of('$geoip_city_name')}]`
    default:
      return undefined
  }
}

const OF_EVENTS: ReadonlySet<WebBreakdown> = new Set([
  'Page',
  'ScreenName',
  'PreviousPage',
  'FrustrationMetrics',
  'WeekdayHour',
])
export const isBySessions = ({ breakdownBy }: WebStatsTableQuery): boolean => !OF_EVENTS.has(breakdownBy)

/** The rows of a table by sessions, and its answer; undefined when the table is by what events are about. */
export function sessionTable(
  query: WebStatsTableQuery,
  plan: WebPlan,
): SessionQuestion<'WebStatsTableQuery'> | undefined {
  const by = labelOf(query, plan)
  if (by === undefined) return undefined
  const measures = columnsOf(query, plan)
  const { name, descending } = orderedColumn(query, measures)
  const { limit, offset } = pageOf(query)
  // A session without a click that led outside has nothing to show there.
  const named = query.breakdownBy === 'ExitClick'
  const order = measures.find((measure) => measure === name) ?? 'visitors'
  return {
    parts: [{ by, measures, named, page: { order, ascending: !descending, limit, offset } }],
    answer: ([rows = []]) => tableFields(rows, query, measures, { compared: plan.previous !== undefined }),
  }
}

function columnsOf(query: WebStatsTableQuery, plan: WebPlan): readonly Measure[] {
  if (plan.goal !== undefined) return CONVERSION_COLUMNS
  if (query.breakdownBy === 'ExitClick') return ['visitors', 'clicks']
  return ['visitors', 'views', ...(query.includeBounceRate ? (['bounce_rate'] as const) : [])]
}
