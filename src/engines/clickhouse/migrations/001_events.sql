-- Events as they happened. `properties` is the exact text that was sent (plus what ingestion added) and is what people read back;
-- `props` is the same in ClickHouse's JSON type, for filters and breakdowns. Some texts do not fit that type (lone surrogates, integers
-- beyond 64 bits, 1e400, nesting beyond 1000): they would give an empty `props`, so for those a row brings a mended `props` of its own.
CREATE TABLE IF NOT EXISTS events (
  project_id UInt32,
  uuid UUID,
  event LowCardinality(String),
  timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
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
  props JSON DEFAULT CAST(if(JSONType(properties) = 'Object', properties, '{}'), 'JSON'),
  person_props JSON DEFAULT CAST(if(JSONType(person_properties) = 'Object', person_properties, '{}'), 'JSON')
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (project_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid))
SETTINGS non_replicated_deduplication_window = 10000;

-- Which uuids were stored, by uuid: how a retry is recognised. The integer sorts as the uuid's text does, so v7 uuids lie together.
CREATE TABLE IF NOT EXISTS event_uuids (
  project_id UInt32,
  uuid UInt128
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
  props JSON DEFAULT CAST(if(JSONType(properties) = 'Object', properties, '{}'), 'JSON'),
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
  props JSON DEFAULT CAST(if(JSONType(properties) = 'Object', properties, '{}'), 'JSON'),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, group_type_index, group_key);
