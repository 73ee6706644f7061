-- Every version a flag has had, as it was saved: what changed since somebody read it is known by field.
CREATE TABLE feature_flag_versions (
  flag_id integer NOT NULL REFERENCES feature_flags ON DELETE CASCADE,
  version integer NOT NULL,
  flag jsonb NOT NULL,
  modified_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (flag_id, version)
);
