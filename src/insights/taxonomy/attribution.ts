/** Where sessions came from. A column that is not grouped by holds examples of its values. */
import type { SessionAttributionExplorerQuery } from '../../contract/queries/index.ts'

type GroupBy = SessionAttributionExplorerQuery['groupBy'][number]

const COLUMNS: readonly (readonly [by: GroupBy, name: string, value: string])[] = [
  ['Channel', 'channel', '$channel_type'],
  ['ReferringDomain', 'referring_domain', '$entry_referring_domain'],
  ['Source', 'utm_source', '$entry_utm_source'],
  ['Medium', 'utm_medium', '$entry_utm_medium'],
  ['Campaign', 'utm_campaign', '$entry_utm_campaign'],
  ['AdIds', 'has_ad_id', "if($entry_gclid is null, null, 'gclid')"],
  ['InitialURL', 'example_entry_urls', '$entry_current_url'],
]
const EXAMPLES = 10

export const ATTRIBUTION_TITLES = ['count', ...COLUMNS.map(([, name]) => name)].map((name) => `context.columns.${name}`)

export function attributionSql(
  { groupBy, filters }: SessionAttributionExplorerQuery,
  { limit, offset }: { limit: number; offset: number },
) {
  const grouped = COLUMNS.filter(([by]) => groupBy.includes(by)).map(([, , value]) => value)
  const columns = COLUMNS.map(([by, , value]) =>
    groupBy.includes(by) ? value : `arraySort(groupUniqArray(${EXAMPLES})(${value}))`,
  )
  const groups = grouped.length > 0 ? ` group by ${grouped.join(', ')}` : ''
  return {
    sql: `select count() as sessions, ${columns.join(', ')} from sessions where {filters}${groups}
      order by sessions desc, ${columns.map((_, i) => i + 2).join(', ')} limit ${limit + 1} offset ${offset}`,
    filters: {
      properties: filters?.properties ?? ({ kind: 'group', type: 'AND', values: [] } as const),
      dateRange: filters?.dateRange ?? { date_from: '-7d', date_to: undefined },
      filterTestAccounts: false,
      interval: undefined,
    },
  }
}
