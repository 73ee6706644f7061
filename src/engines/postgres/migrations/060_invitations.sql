-- Links by which somebody joins an organisation, once. Only the hash of the link's secret is kept.
CREATE TABLE invitations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE,
  -- For whom: this address and no other. Without one whoever has the link says who they are.
  email text,
  level text NOT NULL CHECK (level IN ('member', 'admin', 'owner')),
  created_by integer REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX invitations_organization ON invitations (organization_id);
