-- without a transaction
-- needs the extension pg_trgm
-- Persons by any part of their e-mail, as a search asks for them. Made while others write. What an interrupted attempt left is an index
-- that is never used: it goes first.
DROP INDEX CONCURRENTLY IF EXISTS persons_email_parts;
CREATE INDEX CONCURRENTLY persons_email_parts ON persons USING gin (lower_email gin_trgm_ops) WHERE lower_email IS NOT NULL;
