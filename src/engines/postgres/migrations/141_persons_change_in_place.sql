-- PostgreSQL changes a row without touching its indexes when no indexed column changes. An index over an expression of `properties`
-- counts as one over all of `properties`, so the e-mail gets a column of its own. This writes the table anew, about 20 s for a million
-- persons, and the index of parts of e-mails is made by the next file.
DROP INDEX persons_email;
DROP INDEX IF EXISTS persons_email_parts;
ALTER TABLE persons ADD COLUMN lower_email text GENERATED ALWAYS AS (lower(properties ->> 'email')) STORED;
-- A hash, because a b-tree refuses long values and people put anything into a property.
CREATE INDEX persons_email ON persons USING hash (lower_email);

-- Rows of `projects` are never deleted (see 130), and checking a reference costs 10 us for each new row. The reference from a distinct
-- id to its person stays.
ALTER TABLE persons DROP CONSTRAINT persons_project_id_fkey;
ALTER TABLE person_distinct_ids DROP CONSTRAINT person_distinct_ids_project_id_fkey;
