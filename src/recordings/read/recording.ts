/** One recording in a list. */
export interface Recording {
  readonly session_id: string
  readonly distinct_id: string
  /** ISO 8601. */
  readonly start_time: string
  readonly end_time: string
  readonly recording_duration: number
  readonly active_seconds: number
  readonly inactive_seconds: number
  readonly click_count: number
  readonly keypress_count: number
  readonly mouse_activity_count: number
  readonly console_log_count: number
  readonly console_warn_count: number
  readonly console_error_count: number
  readonly start_url: string
  readonly snapshot_source: string
  readonly lib: string
  readonly ongoing: boolean
  readonly activity_score: number
}
