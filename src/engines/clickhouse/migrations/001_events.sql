-- Events as they happened. `properties` is the exact text that was sent (plus what ingestion added) and is what people read back;
-- `props` holds the same values as texts in ClickHouse's JSON type (property-column.ts says how), for filters and breakdowns.
-- Events lie by day, name and person, so within a day their times come in no order and differences between neighbours say nothing: packed
-- to the bits that vary within a block they take a fifth less room and are read in less time. Granules are small, because a question
-- reads one or a few event names of each day, and what else lies in their granules is read for nothing.
CREATE TABLE IF NOT EXISTS events (
  project_id UInt32,
  uuid UUID,
  event LowCardinality(String),
  timestamp DateTime64(6, 'UTC') CODEC(T64, LZ4),
  received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  distinct_id String CODEC(ZSTD(1)),
  person_id UUID,
  person_mode Enum8('full' = 0, 'propertyless' = 1, 'force_upgrade' = 2),
  person_created_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  session_id String CODEC(ZSTD(1)),
  group_0 String CODEC(ZSTD(1)),
  group_1 String CODEC(ZSTD(1)),
  group_2 String CODEC(ZSTD(1)),
  group_3 String CODEC(ZSTD(1)),
  group_4 String CODEC(ZSTD(1)),
  elements_chain String CODEC(ZSTD(3)),
  properties String CODEC(ZSTD(3)),
  person_properties String CODEC(ZSTD(3)),
  props JSON CODEC(ZSTD(1)),
  person_props JSON CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (project_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid))
SETTINGS non_replicated_deduplication_window = 10000, index_granularity = 2048;

-- Which uuids were stored, by uuid: how a retry is recognised. The integer sorts as the uuid's text does, so v7 uuids lie together.
CREATE TABLE IF NOT EXISTS event_uuids (
  project_id UInt32,
  uuid UInt128,
  timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (project_id, uuid)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000;

-- Current persons, a copy of Postgres for questions over current properties. The highest version wins.
CREATE TABLE IF NOT EXISTS persons (
  project_id UInt32,
  id UUID,
  created_at DateTime64(3, 'UTC'),
  properties String CODEC(ZSTD(3)),
  props JSON,
  is_identified UInt8,
  is_deleted UInt8,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, id);

-- Events of `old_person_id` count for `person_id`, until the folding job has rewritten them.
CREATE TABLE IF NOT EXISTS person_overrides (
  project_id UInt32,
  old_person_id UUID,
  person_id UUID,
  is_deleted UInt8,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, old_person_id);

-- Current groups, a copy of Postgres.
CREATE TABLE IF NOT EXISTS groups (
  project_id UInt32,
  group_type_index UInt8,
  group_key String,
  created_at DateTime64(3, 'UTC'),
  properties String CODEC(ZSTD(3)),
  props JSON,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, group_type_index, group_key);
