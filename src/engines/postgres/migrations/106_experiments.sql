-- Experiments: a flag, and what its variants are compared by. Metrics, exposure and so on are documents of clients.
CREATE TABLE experiments (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  feature_flag_id integer NOT NULL REFERENCES feature_flags,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  type text NOT NULL DEFAULT 'product',
  start_date timestamptz,
  end_date timestamptz,
  parameters jsonb NOT NULL DEFAULT '{}',
  metrics jsonb NOT NULL DEFAULT '[]',
  metrics_secondary jsonb NOT NULL DEFAULT '[]',
  exposure_criteria jsonb NOT NULL DEFAULT '{}',
  stats_config jsonb NOT NULL DEFAULT '{}',
  conclusion text,
  conclusion_comment text,
  archived boolean NOT NULL DEFAULT false,
  deleted boolean NOT NULL DEFAULT false,
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX experiments_newest ON experiments (project_id, created_at DESC, id DESC);
CREATE INDEX experiments_flag ON experiments (feature_flag_id);
-- A flag says whether an experiment runs on it.
CREATE TRIGGER experiments_changed AFTER INSERT OR UPDATE OR DELETE ON experiments
  FOR EACH ROW EXECUTE FUNCTION announce_flags();
