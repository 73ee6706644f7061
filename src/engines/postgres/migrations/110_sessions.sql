-- How far the job is that adds the events of earlier versions to `sessions` in ClickHouse: the last session that was added.
-- Without a row it has not begun.
CREATE TABLE session_backfill (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  done boolean NOT NULL DEFAULT false,
  day date,
  project_id integer,
  session_id text
);
