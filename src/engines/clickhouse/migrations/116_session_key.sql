-- Of which session a row is, in eight bytes: a question finds out with it which sessions have several rows. Rows of earlier versions have
-- it too: the engine calculates it when it reads them, and stores it when it merges them.
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS session_key UInt64 MATERIALIZED cityHash64(session_id) CODEC(NONE);
