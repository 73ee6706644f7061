-- Questions that are answered later. The answer waits here for whoever asks with the id, and is forgotten after a while.
CREATE TABLE async_queries (
  id text NOT NULL,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
  error_message text,
  answer text,
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '1 hour',
  PRIMARY KEY (project_id, id)
);
CREATE INDEX async_queries_expiry ON async_queries (expires_at);
