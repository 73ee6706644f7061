/** What capture and the SDK endpoints need to know about a project. */
export interface ProjectSettings {
  readonly id: number
  readonly token: string
  readonly autocaptureOptOut: boolean
  readonly sessionRecordingOptIn: boolean
  readonly anonymizeIps: boolean
}

/**
 * Finds the project of a key. Asked once for every request: a known key is answered at once from memory. Rejects only when an
 * unknown key cannot be looked up now.
 */
export interface ProjectDirectory {
  find(token: string): ProjectSettings | undefined | Promise<ProjectSettings | undefined>
}
