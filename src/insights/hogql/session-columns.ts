import { type Fragment, propertyOf, sql } from '../../engines/clickhouse-sql.ts'

const first = (key: string): Fragment =>
  sql`argMinIf(${propertyOf(sql`e.props`, key)}, e.timestamp, isNotNull(${propertyOf(sql`e.props`, key)}))`
const last = (key: string): Fragment =>
  sql`argMaxIf(${propertyOf(sql`e.props`, key)}, e.timestamp, isNotNull(${propertyOf(sql`e.props`, key)}))`
const duration = sql`dateDiff('second', min(e.timestamp), max(e.timestamp))`

/** A column of `sessions` over the events of one session. */
const COLUMNS: Readonly<Record<string, Fragment>> = {
  session_id: sql`e.session_id`,
  id: sql`e.session_id`,
  distinct_id: sql`any(e.distinct_id)`,
  $start_timestamp: sql`min(e.timestamp)`,
  $end_timestamp: sql`max(e.timestamp)`,
  $session_duration: duration,
  duration,
  $num_uniq_urls: sql`uniq(${propertyOf(sql`e.props`, '$current_url')})`,
  $urls: sql`groupUniqArray(1000)(assumeNotNull(${propertyOf(sql`e.props`, '$current_url')}))`,
  $entry_current_url: first('$current_url'),
  $entry_pathname: first('$pathname'),
  $entry_hostname: first('$host'),
  $end_current_url: last('$current_url'),
  $end_pathname: last('$pathname'),
  $end_hostname: last('$host'),
  $exit_current_url: last('$current_url'),
  $exit_pathname: last('$pathname'),
  $entry_referrer: first('$referrer'),
  $entry_referring_domain: first('$referring_domain'),
  $entry_utm_source: first('utm_source'),
  $entry_utm_campaign: first('utm_campaign'),
  $entry_utm_medium: first('utm_medium'),
  $entry_utm_term: first('utm_term'),
  $entry_utm_content: first('utm_content'),
  $entry_gclid: first('gclid'),
  $pageview_count: sql`countIf(e.event = '$pageview')`,
  $autocapture_count: sql`countIf(e.event = '$autocapture')`,
  $screen_count: sql`countIf(e.event = '$screen')`,
  // A session without a page or a screen says nothing about bouncing.
  $is_bounce: sql`if(countIf(e.event IN ('$pageview', '$screen')) = 0, NULL, countIf(e.event IN ('$pageview', '$screen')) = 1 AND countIf(e.event = '$autocapture') = 0 AND ${duration} < 10)`,
}

export const SESSION_COLUMNS: readonly string[] = Object.keys(COLUMNS)

export const sessionColumn = (name: string): Fragment | undefined =>
  Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined

/** The others are NULL where no event of the session says anything about them. */
export const isInEverySession = (name: string): boolean =>
  !/^\$(entry|end|exit)_/.test(name) && name !== '$is_bounce' && sessionColumn(name) !== undefined
