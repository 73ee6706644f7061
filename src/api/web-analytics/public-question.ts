/** What a public link may be asked: the numbers of the page, narrowed as the page narrows them, and nothing else. */
import type { PropertyFilter, PropertyGroup, Query } from '../../contract/queries/index.ts'
import { isAnsweredHere } from '../../insights/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'

/** The columns of the page's tables. Ids and properties of persons are not among them, so nobody can be looked for. */
const OF_SESSIONS: ReadonlySet<string> = new Set(
  `$channel_type $entry_referring_domain $entry_utm_source $entry_utm_campaign $entry_utm_medium $entry_utm_term
  $entry_utm_content $entry_pathname $end_pathname $geoip_country_code $geoip_subdivision_1_code $geoip_city_name
  $device_type $browser $os $viewport $browser_language $last_external_click_url`.split(/\s+/),
)
const OPERATORS: ReadonlySet<string> = new Set(['exact', 'is_not', 'is_set', 'is_not_set'])
const MOST_FILTERS = 30

/** Refuses what is no question of the page. */
export function refuseUnlessPublic(query: Query): void {
  if (!isAnsweredHere(query))
    throw new InvalidQuery('A public link answers the queries of the web analytics page only.', ['kind'])
  const filters = filtersIn(query.properties)
  if (filters.length > MOST_FILTERS || !filters.every(isPublic))
    throw new InvalidQuery(
      `A public link takes at most ${MOST_FILTERS} filters, by the columns of the page's tables and by exact values.`,
      ['properties'],
    )
}

const filtersIn = (part: PropertyFilter | PropertyGroup): PropertyFilter[] =>
  part.kind === 'group' ? part.values.flatMap(filtersIn) : [part]

const isPublic = ({ type, key, operator }: PropertyFilter): boolean =>
  OPERATORS.has(operator) && (type === 'session' ? OF_SESSIONS.has(key) : type === 'event' && key === '$pathname')
