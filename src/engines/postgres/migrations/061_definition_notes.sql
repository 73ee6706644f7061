-- What people write beside the names that came with events. The id is made of the name: a uuid of version 8.
ALTER TABLE event_definitions
  ADD COLUMN id uuid GENERATED ALWAYS AS (overlay(overlay(md5(project_id::text || '/' || name) PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid) STORED,
  ADD COLUMN description text NOT NULL DEFAULT '',
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  ADD COLUMN hidden boolean NOT NULL DEFAULT false,
  ADD COLUMN verified boolean NOT NULL DEFAULT false,
  ADD COLUMN verified_at timestamptz,
  ADD COLUMN verified_by integer REFERENCES users ON DELETE SET NULL,
  ADD COLUMN updated_at timestamptz,
  ADD COLUMN updated_by integer REFERENCES users ON DELETE SET NULL;
CREATE UNIQUE INDEX event_definitions_id ON event_definitions (project_id, id);

ALTER TABLE property_definitions
  ADD COLUMN id uuid GENERATED ALWAYS AS (
    overlay(overlay(md5(project_id::text || '/' || type || '/' || group_type_index::text || '/' || name) PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid) STORED,
  ADD COLUMN description text NOT NULL DEFAULT '',
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  ADD COLUMN hidden boolean NOT NULL DEFAULT false,
  ADD COLUMN verified boolean NOT NULL DEFAULT false,
  ADD COLUMN verified_at timestamptz,
  ADD COLUMN verified_by integer REFERENCES users ON DELETE SET NULL,
  ADD COLUMN updated_at timestamptz,
  ADD COLUMN updated_by integer REFERENCES users ON DELETE SET NULL;
CREATE UNIQUE INDEX property_definitions_id ON property_definitions (project_id, id);
