-- Feature flags. `filters` is the document that clients and SDKs know: conditions, variants, payloads.
-- A deleted flag stays, and leaves its key to others.
CREATE TABLE feature_flags (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  key text NOT NULL,
  name text NOT NULL DEFAULT '',
  filters jsonb NOT NULL DEFAULT '{}',
  active boolean NOT NULL DEFAULT true,
  archived boolean NOT NULL DEFAULT false,
  deleted boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  ensure_experience_continuity boolean NOT NULL DEFAULT false,
  -- client, server or all; null means all.
  evaluation_runtime text,
  -- What rollouts of persons are decided by: distinct_id (also null) or device_id.
  bucketing_identifier text,
  evaluation_contexts text[] NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  is_remote_configuration boolean NOT NULL DEFAULT false,
  has_encrypted_payloads boolean NOT NULL DEFAULT false,
  creation_context text NOT NULL DEFAULT 'feature_flags',
  created_by integer REFERENCES users ON DELETE SET NULL,
  last_modified_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX feature_flags_key ON feature_flags (project_id, key) WHERE NOT deleted;
CREATE INDEX feature_flags_newest ON feature_flags (project_id, created_at DESC, id DESC);

-- When a flag was last asked for, by its events. Apart from the flag, because every process reads a changed flag again.
CREATE TABLE feature_flag_usage (
  flag_id integer PRIMARY KEY REFERENCES feature_flags ON DELETE CASCADE,
  last_called_at timestamptz NOT NULL
);

-- What a rollout is decided by instead of the distinct id, for flags that keep their value when a visitor is identified.
-- By distinct id and not by person: the first request after identify() may come before its person is stored, and ids follow
-- their persons through merges by themselves. The oldest row of a person's ids counts, and rows never change.
CREATE TABLE feature_flag_hash_keys (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  distinct_id text NOT NULL,
  flag_key text NOT NULL,
  hash_key text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (project_id, distinct_id, flag_key)
);
CREATE INDEX feature_flag_hash_keys_age ON feature_flag_hash_keys (created_at);

-- Keys of servers that evaluate flags themselves (phs_...): they read definitions and nothing else.
CREATE TABLE project_secret_keys (
  id text PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  label text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  mask_value text NOT NULL,
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_rolled_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX project_secret_keys_project ON project_secret_keys (project_id);

CREATE TABLE early_access_features (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  feature_flag_id integer REFERENCES feature_flags ON DELETE SET NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  stage text NOT NULL CHECK (stage IN ('draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived')),
  documentation_url text NOT NULL DEFAULT '',
  payload jsonb NOT NULL DEFAULT '{}',
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX early_access_features_project ON early_access_features (project_id, created_at DESC);

-- People who are kept out of experiments. A flag's filters name one by its id.
CREATE TABLE experiment_holdouts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  filters jsonb NOT NULL DEFAULT '[]',
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX experiment_holdouts_project ON experiment_holdouts (project_id, id);

-- Changes of flags that a job makes when their time has come.
CREATE TABLE scheduled_changes (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  model_name text NOT NULL DEFAULT 'FeatureFlag',
  record_id text NOT NULL,
  payload jsonb NOT NULL,
  scheduled_at timestamptz NOT NULL,
  executed_at timestamptz,
  failure_reason text,
  is_recurring boolean NOT NULL DEFAULT false,
  recurrence_interval text,
  end_date timestamptz,
  last_executed_at timestamptz,
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX scheduled_changes_record ON scheduled_changes (project_id, model_name, record_id);
CREATE INDEX scheduled_changes_due ON scheduled_changes (scheduled_at) WHERE executed_at IS NULL;

-- Every process that answers SDKs keeps definitions in memory. The database itself tells it when they change, so that no
-- writer can forget to.
CREATE FUNCTION announce_flags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('flags_changed', (CASE WHEN TG_OP = 'DELETE' THEN OLD.project_id ELSE NEW.project_id END)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER feature_flags_changed AFTER INSERT OR UPDATE OR DELETE ON feature_flags
  FOR EACH ROW EXECUTE FUNCTION announce_flags();
CREATE TRIGGER early_access_features_changed AFTER INSERT OR UPDATE OR DELETE ON early_access_features
  FOR EACH ROW EXECUTE FUNCTION announce_flags();
CREATE TRIGGER secret_keys_changed AFTER INSERT OR UPDATE OF hash OR DELETE ON project_secret_keys
  FOR EACH ROW EXECUTE FUNCTION announce_flags();
CREATE TRIGGER group_types_changed AFTER INSERT ON group_types
  FOR EACH ROW EXECUTE FUNCTION announce_flags();
CREATE TRIGGER cohorts_added AFTER INSERT OR DELETE ON cohorts
  FOR EACH ROW EXECUTE FUNCTION announce_flags();
CREATE TRIGGER cohorts_changed AFTER UPDATE ON cohorts
  FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION announce_flags();
CREATE TRIGGER actions_changed AFTER UPDATE ON actions
  FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION announce_flags();
