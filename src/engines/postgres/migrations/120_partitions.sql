-- How many partitions of the log take live events, each time that it was settled or grew.
CREATE TABLE log_growths (
  generation integer PRIMARY KEY,
  live_partitions integer NOT NULL CHECK (live_partitions BETWEEN 1 AND 256),
  -- Where each live partition ended when the number grew, until the pipeline has applied what was before: a distinct id
  -- may be in another partition since, and its earlier events come first.
  ends jsonb NOT NULL DEFAULT '{}',
  grown_at timestamptz NOT NULL DEFAULT now()
);

-- Processes that write to the log in NATS: the number may grow only when none of them uses the old one.
CREATE TABLE log_writers (
  id text PRIMARY KEY,
  live_partitions integer NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
