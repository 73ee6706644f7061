-- A request to delete, and later its receipt, holds hashes of the person's distinct ids and not the ids, which are often e-mail addresses.
ALTER TABLE deletions ADD COLUMN id_hashes text[] NOT NULL DEFAULT '{}';
UPDATE deletions SET id_hashes = ARRAY(
  SELECT encode(sha256(convert_to(distinct_id, 'UTF8')), 'hex') FROM unnest(distinct_ids) AS distinct_id);
ALTER TABLE deletions DROP COLUMN distinct_ids;

-- When what else is known of the person (samples, warnings, merges, history) was erased. Receipts of earlier versions have none yet.
ALTER TABLE deletions ADD COLUMN traces_erased_at timestamptz;
