-- What was recorded: rrweb events as lines of JSON, unpacked and in order of time, at most about 1 MB a row. `position` and `part` say
-- where they came from, `hash` recognises an upload that was sent again. Times inside are the client's; `received_at` is ours.
CREATE TABLE IF NOT EXISTS recording_chunks (
  project_id UInt32,
  session_id String CODEC(ZSTD(1)),
  window_id String CODEC(ZSTD(1)),
  distinct_id String CODEC(ZSTD(1)),
  first_timestamp Int64 CODEC(Delta, ZSTD(1)),
  last_timestamp Int64 CODEC(Delta, ZSTD(1)),
  position UInt64 CODEC(Delta, ZSTD(1)),
  part UInt16,
  hash UInt64,
  received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  expires_at DateTime('UTC') CODEC(Delta, ZSTD(1)),
  bytes UInt32,
  has_full_snapshot UInt8,
  offsets Array(UInt32) CODEC(Delta, ZSTD(1)),
  urls Array(String) CODEC(ZSTD(1)),
  console_levels Array(LowCardinality(String)),
  console_messages Array(String) CODEC(ZSTD(3)),
  events String CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, session_id, first_timestamp, position, part)
TTL expires_at
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000;

-- What a session amounts to, a minute a row, so that chunks may come late, in any order and from several windows: everything is a sum, a
-- minimum, a maximum or a set of bits. `active` has a bit for every second in which the user did something.
CREATE TABLE IF NOT EXISTS recording_minutes (
  project_id UInt32,
  session_id String CODEC(ZSTD(1)),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
  distinct_id SimpleAggregateFunction(min, Tuple(Int64, String)),
  start_url SimpleAggregateFunction(min, Tuple(Int64, String)),
  snapshot_source SimpleAggregateFunction(min, String),
  lib SimpleAggregateFunction(min, String),
  active SimpleAggregateFunction(groupBitOr, UInt64),
  click_count SimpleAggregateFunction(sum, UInt64),
  keypress_count SimpleAggregateFunction(sum, UInt64),
  mouse_activity_count SimpleAggregateFunction(sum, UInt64),
  console_log_count SimpleAggregateFunction(sum, UInt64),
  console_warn_count SimpleAggregateFunction(sum, UInt64),
  console_error_count SimpleAggregateFunction(sum, UInt64),
  event_count SimpleAggregateFunction(sum, UInt64),
  bytes SimpleAggregateFunction(sum, UInt64),
  last_received_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  expires_at SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (project_id, toDate(minute), session_id, minute)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000;
