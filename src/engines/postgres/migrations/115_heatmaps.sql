-- Whether SDKs of browsers send clicks, mouse moves and scroll depths, and whether visitors who ask not to be tracked (Do Not Track,
-- Global Privacy Control) are left alone.
ALTER TABLE projects
  ADD COLUMN heatmaps_opt_in boolean NOT NULL DEFAULT false,
  ADD COLUMN honor_do_not_track boolean NOT NULL DEFAULT false;
-- New projects begin with it. Pages of projects that are there send no more than before until somebody turns it on.
ALTER TABLE projects ALTER COLUMN heatmaps_opt_in SET DEFAULT true;

CREATE OR REPLACE VIEW capture_projects AS
SELECT id, known.api_token, autocapture_opt_out, session_recording_opt_in, anonymize_ips,
  recording_quota_per_month IS NOT NULL AND recording_quota_per_month <= coalesce((
    SELECT recordings FROM recording_usage
    WHERE project_id = projects.id AND month = date_trunc('month', now() AT TIME ZONE 'UTC')), 0) AS recordings_limited,
  heatmaps_opt_in, honor_do_not_track
FROM projects JOIN (
  SELECT id AS project_id, api_token FROM projects
  UNION ALL
  SELECT project_id, api_token FROM retired_project_tokens WHERE accepted_until > now()) known ON known.project_id = projects.id;
