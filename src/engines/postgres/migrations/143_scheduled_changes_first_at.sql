-- When a recurring change was due for the first time: the day of the month it is made on, also after a shorter month moved
-- `scheduled_at`. Null: `scheduled_at` is still the first time. So it is in every row that is here already.
ALTER TABLE scheduled_changes ADD COLUMN first_at timestamptz;
