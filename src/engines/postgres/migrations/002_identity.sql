-- Persons, what they are called, and what became of those that are gone.

CREATE TABLE persons (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  uuid uuid NOT NULL,
  properties jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  is_identified boolean NOT NULL DEFAULT false,
  last_seen_at timestamptz,
  UNIQUE (project_id, uuid)
) WITH (fillfactor = 85);
CREATE INDEX persons_newest ON persons (project_id, created_at DESC, uuid);
-- A hash, because a b-tree refuses long values and people put anything into a property.
CREATE INDEX persons_email ON persons USING hash (lower(properties ->> 'email'));

-- One row a distinct id. `person_id` is null while the id was only used by events without a person: one row means one owner,
-- so a personless event and a merge that meet on the same id collide on the key instead of missing each other.
-- Lower positions are listed first; an id that an alias made the main one has a negative position.
CREATE TABLE person_distinct_ids (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  distinct_id text NOT NULL,
  person_id bigint REFERENCES persons,
  position bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, distinct_id)
);
CREATE INDEX person_distinct_ids_person ON person_distinct_ids (person_id, position) WHERE person_id IS NOT NULL;

-- The last version of a person that was deleted or merged away. The uuid follows from the distinct id, so it can come back; it must
-- then come back with a higher version, or the copy in ClickHouse would stay deleted.
CREATE TABLE person_tombstones (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  uuid uuid NOT NULL,
  version bigint NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, uuid)
);

-- Versions of overrides only ever grow, also over the deletion of a row, because ClickHouse keeps the highest.
CREATE SEQUENCE person_override_versions;

-- Events of `old_person_uuid` count for `person_uuid`. Never a chain: a merge re-points what pointed at the person that goes.
CREATE TABLE person_overrides (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  old_person_uuid uuid NOT NULL,
  person_uuid uuid NOT NULL CHECK (person_uuid <> old_person_uuid),
  version bigint NOT NULL DEFAULT nextval('person_override_versions'),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Its events are being rewritten: until that is over the old uuid must not come back to life.
  folding boolean NOT NULL DEFAULT false,
  PRIMARY KEY (project_id, old_person_uuid)
);
CREATE INDEX person_overrides_target ON person_overrides (project_id, person_uuid);

-- Why two persons are one: in the words of the event that said so.
CREATE TABLE person_merges (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  person_uuid uuid NOT NULL,
  merged_person_uuid uuid,
  distinct_id text NOT NULL,
  other_distinct_id text NOT NULL,
  event text NOT NULL,
  event_uuid text NOT NULL,
  event_timestamp timestamptz NOT NULL,
  merged_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_merges_person ON person_merges (project_id, person_uuid);

-- After a split: events of the distinct id that count for one of these persons belong to whoever has the id now.
-- The folding job moves them.
CREATE TABLE person_event_moves (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  distinct_id text NOT NULL,
  from_person_uuids uuid[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE group_types (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  group_type text NOT NULL,
  group_type_index smallint NOT NULL CHECK (group_type_index BETWEEN 0 AND 4),
  name_singular text,
  name_plural text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, group_type),
  UNIQUE (project_id, group_type_index)
);

CREATE TABLE groups (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  group_type_index smallint NOT NULL,
  group_key text NOT NULL,
  properties jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, group_type_index, group_key)
) WITH (fillfactor = 85);
CREATE INDEX groups_newest ON groups (project_id, group_type_index, created_at DESC, group_key);

CREATE TABLE event_definitions (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  count bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, name)
) WITH (fillfactor = 85);

-- `group_type_index` is -1 for properties of events and persons. The first value that has a type decides the type.
CREATE TABLE property_definitions (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  type text NOT NULL CHECK (type IN ('event', 'person', 'group')),
  group_type_index smallint NOT NULL DEFAULT -1,
  name text NOT NULL,
  property_type text CHECK (property_type IN ('String', 'Numeric', 'Boolean', 'DateTime')),
  count bigint NOT NULL DEFAULT 0,
  samples jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, type, group_type_index, name)
) WITH (fillfactor = 85);

-- How often a property came with an event, and a few values it had: what a property picker ranks by and shows.
CREATE TABLE event_properties (
  project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
  event text NOT NULL,
  property text NOT NULL,
  count bigint NOT NULL DEFAULT 0,
  samples jsonb NOT NULL DEFAULT '[]',
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, event, property)
) WITH (fillfactor = 85);
CREATE INDEX event_properties_property ON event_properties (project_id, property);
