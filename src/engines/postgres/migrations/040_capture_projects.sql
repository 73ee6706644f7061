-- What capture knows of a project. `recordings_limited`: it has had all the recordings it allows itself this month.
CREATE VIEW capture_projects AS
SELECT id, api_token, autocapture_opt_out, session_recording_opt_in, anonymize_ips,
  recording_quota_per_month IS NOT NULL AND recording_quota_per_month <= coalesce((
    SELECT recordings FROM recording_usage
    WHERE project_id = projects.id AND month = date_trunc('month', now() AT TIME ZONE 'UTC')), 0) AS recordings_limited
FROM projects;
