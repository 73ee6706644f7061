-- What happened on a day, written on charts: a release, a campaign, an outage. `scope` says on which charts.
CREATE TABLE annotations (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  content text,
  date_marker timestamptz,
  creation_type text NOT NULL DEFAULT 'USR',
  scope text NOT NULL DEFAULT 'dashboard_item',
  insight_id integer REFERENCES insights ON DELETE CASCADE,
  dashboard_id integer REFERENCES dashboards ON DELETE CASCADE,
  emoji text,
  hidden_in_user_interface boolean,
  deleted boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  created_by integer REFERENCES users ON DELETE SET NULL
);
CREATE INDEX annotations_of_project ON annotations (project_id, date_marker DESC) WHERE NOT deleted;
CREATE INDEX annotations_of_insight ON annotations (insight_id);
CREATE INDEX annotations_of_dashboard ON annotations (dashboard_id);
