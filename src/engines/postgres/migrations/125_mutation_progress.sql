-- How far ClickHouse is with a change that a job waits for: its table, parts and servers that are left.
ALTER TABLE scheduled_jobs ADD COLUMN progress jsonb;
ALTER TABLE deletions ADD COLUMN progress jsonb;
