-- Questions that people keep. `filters` and `query` are the client's own JSON, kept to the letter.
CREATE TABLE insights (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  short_id text NOT NULL,
  name text,
  derived_name text,
  description text,
  filters json NOT NULL DEFAULT '{}',
  query json,
  "order" integer,
  deleted boolean NOT NULL DEFAULT false,
  favorited boolean NOT NULL DEFAULT false,
  saved boolean NOT NULL DEFAULT false,
  tags text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by integer REFERENCES users ON DELETE SET NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_modified_at timestamptz NOT NULL DEFAULT now(),
  last_modified_by integer REFERENCES users ON DELETE SET NULL,
  UNIQUE (project_id, short_id)
);
CREATE INDEX insights_newest ON insights (project_id, last_modified_at DESC, id DESC) WHERE NOT deleted;

-- When somebody last looked at which.
CREATE TABLE insight_views (
  insight_id integer NOT NULL REFERENCES insights ON DELETE CASCADE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  viewed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (insight_id, user_id)
);
CREATE INDEX insight_views_newest ON insight_views (user_id, viewed_at DESC);

CREATE TABLE dashboards (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text,
  description text NOT NULL DEFAULT '',
  pinned boolean NOT NULL DEFAULT false,
  filters json NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  deleted boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by integer REFERENCES users ON DELETE SET NULL
);
CREATE INDEX dashboards_of_project ON dashboards (project_id, id) WHERE NOT deleted;

-- What a dashboard shows: an insight, or a text. A tile that was taken away keeps its place in case it comes back.
CREATE TABLE dashboard_tiles (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dashboard_id integer NOT NULL REFERENCES dashboards ON DELETE CASCADE,
  insight_id integer REFERENCES insights ON DELETE CASCADE,
  body text,
  layouts json NOT NULL DEFAULT '{}',
  color text,
  deleted boolean NOT NULL DEFAULT false,
  CHECK ((insight_id IS NULL) <> (body IS NULL)),
  UNIQUE (dashboard_id, insight_id)
);
CREATE INDEX dashboard_tiles_insight ON dashboard_tiles (insight_id);

-- How long people waited for their data, as their browsers tell.
CREATE TABLE timing_samples (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  user_id integer REFERENCES users ON DELETE SET NULL,
  sample json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX timing_samples_newest ON timing_samples (project_id, created_at DESC);
