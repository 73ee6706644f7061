-- What a filter on a date compares: the moment a property says, null when it says none. Properties hold anything, so a bad text is no error.
CREATE FUNCTION property_time(value jsonb) RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  number double precision;
BEGIN
  IF jsonb_typeof(value) = 'number' THEN
    number := value #>> '{}';
    RETURN to_timestamp(CASE WHEN abs(number) >= 1e11 THEN number / 1000 ELSE number END);
  END IF;
  IF jsonb_typeof(value) <> 'string' OR value #>> '{}' !~ '^\s*\d{4}-' THEN
    RETURN NULL;
  END IF;
  RETURN (value #>> '{}')::timestamptz;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;

-- The number a property holds, also when it came as text.
CREATE FUNCTION property_number(value jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN jsonb_typeof(value) = 'number' THEN (value #>> '{}')::numeric
    WHEN jsonb_typeof(value) = 'string' AND value #>> '{}' ~ '^\s*[+-]?(\d{1,200}(\.\d{0,200})?|\.\d{1,200})([eE][+-]?\d{1,2})?\s*$' THEN (value #>> '{}')::numeric
  END
$$;

-- Who changed what by hand.
CREATE TABLE activity_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  user_id integer REFERENCES users ON DELETE SET NULL,
  scope text NOT NULL,
  item_id text NOT NULL,
  activity text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX activity_log_newest ON activity_log (project_id, scope, id DESC);
CREATE INDEX activity_log_item ON activity_log (project_id, scope, item_id, id DESC);

-- What is to be erased with a person, and afterwards the receipt that it was. One open request a person: asking again widens it.
CREATE TABLE deletions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person')),
  person_uuid uuid NOT NULL,
  former_uuids uuid[] NOT NULL,
  distinct_ids text[] NOT NULL,
  delete_events boolean NOT NULL,
  delete_recordings boolean NOT NULL,
  requested_by integer REFERENCES users ON DELETE SET NULL,
  requested_by_email text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  scheduled_for timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done')),
  ran_at timestamptz,
  events_deleted bigint,
  recordings_deleted bigint,
  verified boolean,
  error text
);
CREATE UNIQUE INDEX deletions_open ON deletions (project_id, person_uuid) WHERE status = 'pending';
CREATE INDEX deletions_due ON deletions (scheduled_for) WHERE status = 'pending';
CREATE INDEX deletions_newest ON deletions (project_id, id DESC);

-- When each job runs next: kept here, so that a run missed while nobody was there is made up for.
CREATE TABLE scheduled_jobs (
  name text PRIMARY KEY,
  next_run_at timestamptz NOT NULL,
  last_started_at timestamptz,
  last_finished_at timestamptz,
  last_error text
);
