-- What several processes on the same database tell each other.

-- Who runs which partition of the log. Every new owner raises `epoch`, and the transaction that moves a position names the epoch it was
-- given: an owner that has lost its lease without noticing cannot apply anything any more.
CREATE TABLE partition_leases (
  partition text PRIMARY KEY,
  owner text,
  epoch bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL DEFAULT '-infinity'
);

-- Processes with the pipeline's role that were seen lately: they share the partitions evenly.
CREATE TABLE pipeline_members (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- Uuids of events that a partition has decided to store, until some time after they are in ClickHouse: how processes that run different
-- partitions recognise an event that was sent to both.
CREATE TABLE uuid_claims (
  partition text NOT NULL,
  position bigint NOT NULL,
  projects integer[] NOT NULL,
  uuids uuid[] NOT NULL,
  settled_at timestamptz,
  PRIMARY KEY (partition, position)
);

-- Which projects somebody watches live, by the process that shows them; and what is shown.
CREATE UNLOGGED TABLE live_watchers (
  process text PRIMARY KEY,
  projects integer[] NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNLOGGED TABLE live_batches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  process text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  batch text NOT NULL
);
