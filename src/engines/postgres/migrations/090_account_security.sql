-- A session has a name that is no secret, so that its user can see and end it, and remembers where it was begun.
ALTER TABLE web_sessions
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN address text;
CREATE UNIQUE INDEX web_sessions_id ON web_sessions (id);

-- A key may end by itself, and may be bound to addresses or networks. An empty list binds it to none.
ALTER TABLE personal_api_keys
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}';

-- From where a user signed in with the right password: guesses made elsewhere do not lock these addresses out.
CREATE TABLE sign_in_addresses (
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  address text NOT NULL,
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, address)
);

-- Project API keys that were replaced. They stay here for good, so that a provisioning file may still name them.
CREATE TABLE retired_project_tokens (
  api_token text PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  retired_at timestamptz NOT NULL DEFAULT now(),
  accepted_until timestamptz NOT NULL
);
CREATE INDEX retired_project_tokens_project ON retired_project_tokens (project_id);

-- As before, and a replaced key counts for its project until its grace period is over.
CREATE OR REPLACE VIEW capture_projects AS
SELECT id, known.api_token, autocapture_opt_out, session_recording_opt_in, anonymize_ips,
  recording_quota_per_month IS NOT NULL AND recording_quota_per_month <= coalesce((
    SELECT recordings FROM recording_usage
    WHERE project_id = projects.id AND month = date_trunc('month', now() AT TIME ZONE 'UTC')), 0) AS recordings_limited
FROM projects JOIN (
  SELECT id AS project_id, api_token FROM projects
  UNION ALL
  SELECT project_id, api_token FROM retired_project_tokens WHERE accepted_until > now()) known ON known.project_id = projects.id;

-- Who did what about access, settings and data, when and from where. It outlives the users and projects it speaks of.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization_id uuid,
  project_id integer,
  user_id integer REFERENCES users ON DELETE SET NULL,
  -- As it was then; of a failed sign-in, what was typed.
  user_email text,
  via text NOT NULL CHECK (via IN ('session', 'key', 'sign-in', 'command line', 'service')),
  key_label text,
  scope text NOT NULL,
  activity text NOT NULL,
  item_id text,
  detail jsonb NOT NULL DEFAULT '{}',
  address text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_log_organization ON audit_log (organization_id, id DESC);
CREATE INDEX audit_log_user ON audit_log (user_id, id DESC) WHERE organization_id IS NULL;
CREATE INDEX audit_log_age ON audit_log (created_at);
