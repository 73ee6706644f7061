/** What visits can be told apart by: the rows of each table, and the filter that a row stands for. */
import type { Json } from '../../lib/json.ts'

/** The value of a row: null where it is not known, a list for places that have more than one part. */
export type Value = string | null | readonly (string | null)[]

export type PropertyFilter = { [key: string]: Json }

export interface Dimension {
  /** Of the tab. */
  readonly label: string
  /** Of a filter: "Country is Germany". */
  readonly one: string
  readonly breakdownBy: string
  /** Which part of a row's value is compared with which property, of the session unless it says otherwise. */
  readonly properties: readonly { readonly key: string; readonly part?: number; readonly type?: 'event' }[]
  readonly show?: (value: Value) => string
  /** What a row without a value is called. */
  readonly none?: string
  /** Pages have more columns. */
  readonly pages?: boolean
}

const ofSession = (key: string) => [{ key }]

const namesOf = (type: 'region' | 'language') => {
  const names = new Intl.DisplayNames(['en'], { type, fallback: 'none' })
  return (code: string): string => {
    try {
      return names.of(code) ?? code
    } catch {
      return code
    }
  }
}
export const countryName = namesOf('region')
const languageName = namesOf('language')

const first = (value: Value): string => (typeof value === 'string' ? value : (value?.[0] ?? ''))
const part = (value: Value, index: number): string | null =>
  value === null || typeof value === 'string' ? null : (value[index] ?? null)

const withCountry = (name: string | null, value: Value): string =>
  `${name ?? 'Unknown'}, ${part(value, 0) === null ? 'unknown country' : countryName(first(value))}`

export const DIMENSIONS = {
  channel: {
    label: 'Channels',
    one: 'Channel',
    breakdownBy: 'InitialChannelType',
    properties: ofSession('$channel_type'),
  },
  referrer: {
    label: 'Sources',
    one: 'Source',
    breakdownBy: 'InitialReferringDomain',
    properties: ofSession('$entry_referring_domain'),
    show: (value) => (value === '$direct' ? 'Direct, no source' : first(value)),
  },
  campaign: {
    label: 'Campaigns',
    one: 'Campaign',
    breakdownBy: 'InitialUTMCampaign',
    properties: ofSession('$entry_utm_campaign'),
    none: 'No campaign',
  },
  utm_source: {
    label: 'UTM source',
    one: 'UTM source',
    breakdownBy: 'InitialUTMSource',
    properties: ofSession('$entry_utm_source'),
    none: 'No utm_source',
  },
  utm_medium: {
    label: 'UTM medium',
    one: 'UTM medium',
    breakdownBy: 'InitialUTMMedium',
    properties: ofSession('$entry_utm_medium'),
    none: 'No utm_medium',
  },
  utm_term: {
    label: 'UTM term',
    one: 'UTM term',
    breakdownBy: 'InitialUTMTerm',
    properties: ofSession('$entry_utm_term'),
    none: 'No utm_term',
  },
  utm_content: {
    label: 'UTM content',
    one: 'UTM content',
    breakdownBy: 'InitialUTMContent',
    properties: ofSession('$entry_utm_content'),
    none: 'No utm_content',
  },
  page: {
    label: 'Top pages',
    one: 'Page',
    breakdownBy: 'Page',
    properties: [{ key: '$pathname', type: 'event' }],
    pages: true,
  },
  entry: {
    label: 'Entry pages',
    one: 'Entry page',
    breakdownBy: 'InitialPage',
    properties: ofSession('$entry_pathname'),
  },
  exit: { label: 'Exit pages', one: 'Exit page', breakdownBy: 'ExitPage', properties: ofSession('$end_pathname') },
  country: {
    label: 'Countries',
    one: 'Country',
    breakdownBy: 'Country',
    properties: ofSession('$geoip_country_code'),
    show: (value) => countryName(first(value)),
  },
  region: {
    label: 'Regions',
    one: 'Region',
    breakdownBy: 'Region',
    properties: [
      { key: '$geoip_country_code', part: 0 },
      { key: '$geoip_subdivision_1_code', part: 1 },
    ],
    show: (value) => withCountry(part(value, 2) ?? part(value, 1), value),
  },
  city: {
    label: 'Cities',
    one: 'City',
    breakdownBy: 'City',
    properties: [
      { key: '$geoip_country_code', part: 0 },
      { key: '$geoip_city_name', part: 1 },
    ],
    show: (value) => withCountry(part(value, 1), value),
  },
  device: { label: 'Devices', one: 'Device', breakdownBy: 'DeviceType', properties: ofSession('$device_type') },
  browser: { label: 'Browsers', one: 'Browser', breakdownBy: 'Browser', properties: ofSession('$browser') },
  os: { label: 'Systems', one: 'System', breakdownBy: 'OS', properties: ofSession('$os') },
  screen: {
    label: 'Screens',
    one: 'Screen',
    breakdownBy: 'Viewport',
    properties: ofSession('$viewport'),
    show: (value) => first(value).replace('x', ' × '),
  },
  language: {
    label: 'Languages',
    one: 'Language',
    breakdownBy: 'Language',
    properties: ofSession('$browser_language'),
    show: (value) => languageName(first(value)),
  },
  outgoing: {
    label: 'Outgoing links',
    one: 'Left through',
    breakdownBy: 'ExitClick',
    properties: ofSession('$last_external_click_url'),
    show: (value) => first(value).replace(/^https?:\/\//, ''),
  },
} as const satisfies Record<string, Dimension>

export type DimensionId = keyof typeof DIMENSIONS
export const DIMENSION_IDS = Object.keys(DIMENSIONS) as [DimensionId, ...DimensionId[]]

/** The tables of the page, each with its tabs. */
export const GROUPS = {
  sources: ['channel', 'referrer', 'campaign', 'utm_source', 'utm_medium', 'utm_term', 'utm_content'],
  pages: ['page', 'entry', 'exit'],
  places: ['country', 'region', 'city'],
  devices: ['device', 'browser', 'os', 'screen', 'language'],
} as const satisfies Record<string, readonly DimensionId[]>

export interface Filter {
  readonly on: DimensionId
  readonly is: Value
}

export function valueName(on: DimensionId, value: Value): string {
  const { show, none = 'Unknown' }: Dimension = DIMENSIONS[on]
  if (value === null || (typeof value !== 'string' && value.every((each) => each === null))) return none
  return show ? show(value) : first(value)
}

export const sameValue = (a: Value, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The filters of the wire that a row stands for. */
export function propertiesOf({ on, is }: Filter): PropertyFilter[] {
  const { properties }: Dimension = DIMENSIONS[on]
  return properties.map(({ key, part: index, type = 'session' }) => {
    const value = index === undefined ? first(is) || null : part(is, index)
    return value === null
      ? { key, type, operator: 'is_not_set', value: 'is_not_set' }
      : { key, type, operator: 'exact', value: [value] }
  })
}

/** A filter more: of one dimension there is one at a time, and a row that is chosen already is let go. */
export const toggled = (filters: readonly Filter[], { on, is }: Filter): Filter[] => {
  const others = filters.filter((each) => each.on !== on)
  const chosen = filters.some((each) => each.on === on && sameValue(each.is, is))
  return chosen ? others : [...others, { on, is }]
}
