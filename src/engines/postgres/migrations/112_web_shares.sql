-- A public link shows a playlist, a recording, or a page: that of web analytics. The table keeps the name under which earlier versions know it.
ALTER TABLE recording_shares ADD COLUMN page text CHECK (page = 'web');
ALTER TABLE recording_shares DROP CONSTRAINT recording_shares_check;
ALTER TABLE recording_shares ADD CONSTRAINT recording_shares_one_thing CHECK (num_nonnulls(playlist_id, session_id, page) = 1);
