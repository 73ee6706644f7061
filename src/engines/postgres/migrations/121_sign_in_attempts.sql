-- How often passwords were tried lately, when several processes check them. A name is the hash of an address, an e-mail or
-- both. It matters for a quarter of an hour, so it need not outlive a crash.
CREATE UNLOGGED TABLE sign_in_attempts (
  name bytea PRIMARY KEY,
  -- In milliseconds since 1970, the oldest first.
  moments bigint[] NOT NULL,
  most integer NOT NULL,
  last_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX sign_in_attempts_last ON sign_in_attempts (last_at);
