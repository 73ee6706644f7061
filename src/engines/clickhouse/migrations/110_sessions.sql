-- What is known of a session, a day of it a row, kept while its events arrive. Everything is a sum, a minimum, a maximum or a set, so rows
-- may come in any order; whoever inserts them makes sure that an event is in them once. `entry` and `client` are of the first event that
-- says where the visitor was, and with what; `exit` of the last. A row without such an event has the time 9007199254740991 there, or 0.
CREATE TABLE IF NOT EXISTS sessions (
  project_id UInt32,
  day Date32,
  session_id String CODEC(ZSTD(1)),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(Delta, ZSTD(1)),
  last_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(Delta, ZSTD(1)),
  persons SimpleAggregateFunction(groupUniqArrayArray(100), Array(UUID)),
  distinct_id SimpleAggregateFunction(min, Tuple(at Int64, value String)) CODEC(ZSTD(1)),
  events SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  pageviews SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  screens SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  autocaptures SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  rageclicks SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  dead_clicks SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  exceptions SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  urls SimpleAggregateFunction(groupUniqArrayArray(1000), Array(String)) CODEC(ZSTD(3)),
  entry SimpleAggregateFunction(min, Tuple(at Int64, url String, pathname String, hostname String, screen String, referrer String,
    referring_domain String, utm_source String, utm_medium String, utm_campaign String, utm_term String, utm_content String, gclid String,
    gad_source String, fbclid String, msclkid String)) CODEC(ZSTD(1)),
  exit SimpleAggregateFunction(max, Tuple(at Int64, url String, pathname String, hostname String)) CODEC(ZSTD(1)),
  client SimpleAggregateFunction(min, Tuple(at Int64, browser String, os String, device_type String, viewport String, language String,
    timezone String, country String, region String, region_name String, city String)) CODEC(ZSTD(1)),
  external_click SimpleAggregateFunction(max, Tuple(at Int64, url String)) CODEC(ZSTD(1)),
  lcp SimpleAggregateFunction(min, Tuple(at Int64, value Float64)) CODEC(ZSTD(1)),
  is_bot SimpleAggregateFunction(max, UInt8),
  bot_reason SimpleAggregateFunction(max, String)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, session_id)
SETTINGS index_granularity = 2048, non_replicated_deduplication_window = 10000;

-- Whether an event is in the rows of `sessions`: events of earlier versions are not until a job has added them.
ALTER TABLE events ADD COLUMN IF NOT EXISTS in_sessions UInt8 DEFAULT 0;
