-- Where people clicked, moved the mouse and how far they scrolled: a row for each point, in CSS pixels of the page (of the window when
-- `target_fixed`), made of `$heatmap_data`. `person_id`, `distinct_id` and `received_at` are those of the event that brought the point, so
-- that it is folded and deleted as that event.
CREATE TABLE IF NOT EXISTS heatmaps (
  project_id UInt32,
  type LowCardinality(String),
  url String CODEC(ZSTD(1)),
  timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
  received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  distinct_id String CODEC(ZSTD(1)),
  person_id UUID CODEC(ZSTD(1)),
  session_id String CODEC(ZSTD(1)),
  is_bot UInt8,
  x Int32 CODEC(T64, LZ4),
  y Int32 CODEC(T64, LZ4),
  target_fixed UInt8,
  viewport_width UInt16 CODEC(T64, LZ4),
  viewport_height UInt16 CODEC(T64, LZ4)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (project_id, type, url, timestamp)
SETTINGS index_granularity = 2048, non_replicated_deduplication_window = 10000;
