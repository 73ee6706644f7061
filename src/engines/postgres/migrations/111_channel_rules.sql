-- Rules of a project that name the channel of a session, before the built-in ones.
ALTER TABLE projects ADD COLUMN channel_rules jsonb NOT NULL DEFAULT '[]';
