-- While there is a row, no process runs a partition of the log: a backup needs a moment at which nothing changes. Whoever made it keeps it
-- alive; a row that has expired counts for nothing.
CREATE TABLE pipeline_pauses (
  holder text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
