import { functionsOf } from './row.ts'

export const PRODUCT = functionsOf('product', [
  ['matchesAction', 'id or name', "matchesAction('Viewed')", 1, { nulls: 'never' }],
  ['sparkline', 'list', 'sparkline([1, 2])', ['__hx_tag', 'Sparkline', 'data', [1, 2]], { nulls: 'never' }],
  [
    'recording_button',
    'session_id[, text]',
    "recording_button('s1')",
    ['__hx_tag', 'RecordingButton', 'sessionId', 's1', 'children', 'View recording'],
    { nulls: 'never' },
  ],
  ['getSurveyResponse', 'question[, id, type]', "getSurveyResponse(1, 'q2')", 'second', { nulls: 'always' }],
  ['convertCurrency', 'from, to, amount[, day]', "convertCurrency('USD', 'USD', 5)", 5, { nulls: 'always' }],
  ['languageCodeToName', 'code', "languageCodeToName('de')", 'German', { nulls: 'always' }],
  ['sortableSemVer', 'version', "sortableSemVer('v1.20.3')", [1, 20, 3]],
  ['hogql_lookupDomainType', 'domain', "hogql_lookupDomainType('www.google.com')", 'Search', { nulls: 'always' }],
  ['hogql_lookupPaidSourceType', 'source', "hogql_lookupPaidSourceType('google')", 'Paid Search', { nulls: 'always' }],
  [
    'hogql_lookupOrganicSourceType',
    'source',
    "hogql_lookupOrganicSourceType('bing')",
    'Organic Search',
    { nulls: 'always' },
  ],
  ['hogql_lookupPaidMediumType', 'medium', "hogql_lookupPaidMediumType('nothing')", null, { nulls: 'always' }],
  ['hogql_lookupOrganicMediumType', 'medium', "hogql_lookupOrganicMediumType('email')", 'Email', { nulls: 'always' }],
  ['isLikelyBot', 'user agent', "isLikelyBot('Googlebot/2.1')", true],
  ['getBotName', 'user agent', "getBotName('Googlebot/2.1')", 'Googlebot'],
  ['getBotType', 'user agent', "getBotType('Googlebot/2.1')", 'search_crawler'],
  ['getBotOperator', 'user agent', "getBotOperator('Googlebot/2.1')", 'Google'],
  ['getTrafficType', 'user agent', "getTrafficType('Googlebot/2.1')", 'Bot'],
  ['getTrafficCategory', 'user agent', "getTrafficCategory('Googlebot/2.1')", 'search_crawler'],
])
