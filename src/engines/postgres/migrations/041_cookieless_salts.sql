-- What makes a visitor without cookies the same for a day and nobody afterwards: the ids of a day are hashes with its salt, and salts
-- are thrown away.
CREATE TABLE cookieless_salts (
  day date PRIMARY KEY,
  salt uuid NOT NULL DEFAULT gen_random_uuid()
);
