import { ApiError } from '../http/errors.ts'
import type { ProjectDirectory, ProjectSettings } from './project-directory.ts'

/** The project of a well-formed key, or 401. */
export async function findProject(key: string, projects: ProjectDirectory): Promise<ProjectSettings> {
  const project = await lookUp(key, projects)
  if (project) return project
  throw new ApiError('invalid_api_key', 'No project has this API key: copy it from the project settings.', {
    attr: 'api_key',
  })
}

/** Whether a key is known cannot be said while the directory is away: the client should try again, not give up. */
export async function lookUp(key: string, projects: ProjectDirectory): Promise<ProjectSettings | undefined> {
  try {
    return await projects.find(key)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('unavailable', undefined, { retryAfterSeconds: 5 })
  }
}
