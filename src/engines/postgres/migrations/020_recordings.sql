-- Collections of session recordings. `filters` is the client's own JSON, kept to the letter (json, not jsonb, which refuses some texts).
CREATE TABLE playlists (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  short_id text NOT NULL,
  name text,
  derived_name text,
  description text NOT NULL DEFAULT '',
  pinned boolean NOT NULL DEFAULT false,
  deleted boolean NOT NULL DEFAULT false,
  filters json DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by integer REFERENCES users ON DELETE SET NULL,
  last_modified_at timestamptz NOT NULL DEFAULT now(),
  last_modified_by integer REFERENCES users ON DELETE SET NULL,
  UNIQUE (project_id, short_id)
);
CREATE INDEX playlists_newest ON playlists (project_id, last_modified_at DESC, id DESC) WHERE NOT deleted;

-- Recordings somebody put into a playlist, whether or not the recording is still there.
CREATE TABLE playlist_recordings (
  playlist_id integer NOT NULL REFERENCES playlists ON DELETE CASCADE,
  session_id text NOT NULL,
  added_by integer REFERENCES users ON DELETE SET NULL,
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (playlist_id, session_id)
);
CREATE INDEX playlist_recordings_session ON playlist_recordings (session_id);

-- What the filters of a playlist matched when the job last looked.
CREATE TABLE playlist_matches (
  playlist_id integer PRIMARY KEY REFERENCES playlists ON DELETE CASCADE,
  session_ids text[] NOT NULL,
  has_more boolean NOT NULL,
  increased boolean NOT NULL,
  error text,
  refreshed_at timestamptz NOT NULL DEFAULT now()
);

-- Who has watched which recording.
CREATE TABLE recording_views (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  session_id text NOT NULL,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  viewed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, session_id, user_id)
);

-- Recordings that were deleted. A chunk that comes late must not bring one back.
CREATE TABLE deleted_recordings (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  session_id text NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, session_id)
);

-- How many recordings a project has had in a month (UTC), counted for projects that have a limit.
CREATE TABLE recording_usage (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  month date NOT NULL,
  recordings integer NOT NULL,
  counted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, month)
);

-- Public links. Only the hash of the token is kept.
CREATE TABLE recording_shares (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE,
  playlist_id integer REFERENCES playlists ON DELETE CASCADE,
  session_id text,
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CHECK ((playlist_id IS NULL) <> (session_id IS NULL))
);
CREATE INDEX recording_shares_project ON recording_shares (project_id, id);

-- A range of the log that is being inserted elsewhere before the position moves. After a crash exactly this range is done again, so that
-- its inserts carry the same tokens.
ALTER TABLE pipeline_positions ADD COLUMN intended bigint;
