-- Where the pages of a list ended that a key has just read: the page at that offset goes on from there, whatever arrived meanwhile.
-- It matters for minutes, so it need not outlive a crash.
CREATE UNLOGGED TABLE list_positions (
  key_id text NOT NULL REFERENCES personal_api_keys ON DELETE CASCADE,
  -- A hash of the path and of the filters.
  list bytea NOT NULL,
  at_offset bigint NOT NULL,
  -- JSON: the value the list is ordered by, and the id of the last row.
  place text NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, list, at_offset)
);
CREATE INDEX list_positions_kept ON list_positions (kept_at);
