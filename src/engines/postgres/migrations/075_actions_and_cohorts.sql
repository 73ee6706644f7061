-- What a project gives names to: actions (events that mean the same thing) and cohorts (persons with something in common).
-- `version` moves with every change, so that an answer made of an older definition is known to be old.
CREATE SEQUENCE named_definition_versions;

CREATE TABLE actions (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text,
  description text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{}',
  steps json NOT NULL DEFAULT '[]',
  pinned_at timestamptz,
  deleted boolean NOT NULL DEFAULT false,
  version bigint NOT NULL DEFAULT nextval('named_definition_versions'),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by integer REFERENCES users ON DELETE SET NULL
);
CREATE INDEX actions_of_project ON actions (project_id, id) WHERE NOT deleted;
CREATE INDEX actions_version ON actions (version);

-- `filters` and `groups` are the client's own JSON. Who is in a static cohort stands in cohort_people; in any other, it is asked.
CREATE TABLE cohorts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text,
  description text NOT NULL DEFAULT '',
  groups json NOT NULL DEFAULT '[]',
  filters json,
  query json,
  is_static boolean NOT NULL DEFAULT false,
  deleted boolean NOT NULL DEFAULT false,
  -- As last counted.
  count integer,
  last_calculation timestamptz,
  version bigint NOT NULL DEFAULT nextval('named_definition_versions'),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by integer REFERENCES users ON DELETE SET NULL
);
CREATE INDEX cohorts_of_project ON cohorts (project_id, id) WHERE NOT deleted;
CREATE INDEX cohorts_version ON cohorts (version);

-- Members of static cohorts. They follow their persons: through merges to the survivor, and out when a person is deleted.
CREATE SEQUENCE cohort_people_versions;
CREATE TABLE cohort_people (
  cohort_id integer NOT NULL REFERENCES cohorts ON DELETE CASCADE,
  person_id bigint NOT NULL REFERENCES persons,
  PRIMARY KEY (cohort_id, person_id)
);
CREATE INDEX cohort_people_person ON cohort_people (person_id);
