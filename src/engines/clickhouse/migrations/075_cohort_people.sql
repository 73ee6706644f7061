-- A copy of who is in which static cohort, for questions. Current members have is_deleted = 0 in their highest version.
CREATE TABLE IF NOT EXISTS cohort_people (
  project_id UInt32,
  cohort_id UInt32,
  person_id UUID,
  is_deleted UInt8,
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, cohort_id, person_id)
SETTINGS non_replicated_deduplication_window = 10000;
