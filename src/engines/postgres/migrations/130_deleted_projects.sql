-- Projects that were deleted. The row in `projects` stays, without its name, in an organisation that nobody belongs to:
-- events of the project that are still in the log find it, and are erased with the rest.
CREATE TABLE deleted_projects (
  project_id integer PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  -- When its data were last erased; null until then.
  erased_at timestamptz
);
