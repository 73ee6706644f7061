-- Changes to a person that came in a spike, folded into one row a distinct id and applied when the spike is over.
CREATE TABLE deferred_person_updates (
  project_id integer NOT NULL,
  distinct_id text NOT NULL,
  set jsonb NOT NULL DEFAULT '{}',
  set_once jsonb NOT NULL DEFAULT '{}',
  unset text[] NOT NULL DEFAULT '{}',
  last_event_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, distinct_id)
);
