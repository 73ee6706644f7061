/** What capture and the SDK endpoints need to know about a project. */
export interface ProjectSettings {
  readonly id: number
  readonly token: string
  readonly autocaptureOptOut: boolean
  readonly sessionRecordingOptIn: boolean
  readonly anonymizeIps: boolean
  readonly heatmapsOptIn?: boolean
  /** Visitors who ask not to be tracked are not. */
  readonly honorDoNotTrack?: boolean
  /** The project has reached its recording quota of this month. */
  readonly recordingsLimited?: boolean
  /** Today's salt for the ids of visitors without cookies. */
  readonly cookielessSalt?: string | undefined
}

/** The settings that decide how a request is parsed. */
export type CaptureSettings = Pick<
  ProjectSettings,
  'id' | 'anonymizeIps' | 'recordingsLimited' | 'cookielessSalt' | 'honorDoNotTrack'
>

/**
 * Finds the project of a key, once for every request. Known keys are answered from memory, without a promise. Rejects
 * only when an unknown key cannot be looked up now.
 */
export interface ProjectDirectory {
  find(token: string): ProjectSettings | undefined | Promise<ProjectSettings | undefined>
}
