-- Properties of up to about 8 kB, compressed, stay in the row of their person. Beyond 2 kB each version was a value of its own in one
-- side table, of which PostgreSQL can count four billion: others' ingestion stood still when they were used up. Rows change as they are
-- written the next time. The lock is short, but whoever waits for it makes all others wait: so it is tried for a second at a time.
DO $$
BEGIN
  SET LOCAL lock_timeout = '1s';
  FOR attempt IN 1..100 LOOP
    BEGIN
      ALTER TABLE persons ALTER COLUMN properties SET STORAGE MAIN, SET (toast_tuple_target = 8160);
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(1);
    END;
  END LOOP;
  RAISE EXCEPTION 'The table persons was in use all the time. Stop what reads it (a backup, a long query) and start again.';
END
$$;
