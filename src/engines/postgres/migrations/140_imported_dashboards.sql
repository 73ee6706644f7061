-- Where a dashboard was imported from: its number there and when it was created. A second import finds it by this.
ALTER TABLE dashboards ADD COLUMN IF NOT EXISTS imported_from text;
CREATE UNIQUE INDEX IF NOT EXISTS dashboards_imported ON dashboards (project_id, imported_from);
