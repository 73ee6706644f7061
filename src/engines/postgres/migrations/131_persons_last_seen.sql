-- without a transaction
-- Persons by when they were last seen, as lists of persons order them. Made while others write. What an interrupted attempt left is an
-- index that is never used: it goes first.
DROP INDEX CONCURRENTLY IF EXISTS persons_last_seen;
CREATE INDEX CONCURRENTLY persons_last_seen ON persons (project_id, greatest(last_seen_at, created_at) DESC, uuid);
