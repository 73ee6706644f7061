/** What capture and the SDK endpoints need to know about a project. */
export interface ProjectSettings {
  readonly id: number
  readonly token: string
  readonly autocaptureOptOut: boolean
  readonly sessionRecordingOptIn: boolean
  readonly anonymizeIps: boolean
  /** It has had all the recordings it allows itself this month. */
  readonly recordingsLimited?: boolean
  /** Today's salt for the ids of visitors without cookies. */
  readonly cookielessSalt?: string | undefined
}

/** What of a project decides how a request is taken in. */
export type TakingIn = Pick<ProjectSettings, 'id' | 'anonymizeIps' | 'recordingsLimited' | 'cookielessSalt'>

/**
 * Finds the project of a key. Asked once for every request: a known key is answered at once from memory. Rejects only when an
 * unknown key cannot be looked up now.
 */
export interface ProjectDirectory {
  find(token: string): ProjectSettings | undefined | Promise<ProjectSettings | undefined>
}
