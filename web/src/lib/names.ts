/** Words for the names that the wire uses. */
const EVENTS: Record<string, string> = {
  $pageview: 'Page view',
  $pageleave: 'Page leave',
  $screen: 'Screen view',
  $identify: 'Identify',
  $create_alias: 'Alias',
  $groupidentify: 'Group identify',
  $autocapture: 'Autocapture',
  $set: 'Set person properties',
  $rageclick: 'Rage click',
  $exception: 'Exception',
  'survey sent': 'Survey sent',
  'survey shown': 'Survey shown',
  'survey dismissed': 'Survey dismissed',
}
const PROPERTIES: Record<string, string> = {
  $current_url: 'Current URL',
  $pathname: 'Path',
  $host: 'Host',
  $browser: 'Browser',
  $browser_version: 'Browser version',
  $os: 'Operating system',
  $device_type: 'Device type',
  $referrer: 'Referrer',
  $referring_domain: 'Referring domain',
  $session_id: 'Session',
  $lib: 'Library',
  $lib_version: 'Library version',
  $screen_name: 'Screen',
  $survey_id: 'Survey',
  $survey_response: 'Survey response',
  $ip: 'IP address',
  $initial_referring_domain: 'First referring domain',
  $initial_current_url: 'First URL',
  $geoip_country_name: 'Country',
}

export const eventName = (name: string | null | undefined): string =>
  name === null || name === undefined ? 'Any event' : (EVENTS[name] ?? name)
export const propertyName = (name: string): string => PROPERTIES[name] ?? name

export const breakdownName = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(breakdownName).join(' · ')
  if (value === '$$_posthog_breakdown_null_$$' || value === null || value === '') return '(none)'
  if (value === '$$_posthog_breakdown_other_$$') return 'Other'
  return String(value)
}
