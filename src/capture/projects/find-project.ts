import { ApiError } from '../../http/errors.ts'
import type { ProjectDirectory, ProjectSettings } from './project-directory.ts'

/** The project of a well-formed key, or 401. Without a promise for a key that is in memory, as almost all are. */
export function findProject(key: string, projects: ProjectDirectory): ProjectSettings | Promise<ProjectSettings> {
  const found = projects.find(key)
  return found instanceof Promise ? awaited(found) : orRefuse(found)
}

const awaited = async (found: Promise<ProjectSettings | undefined>): Promise<ProjectSettings> =>
  orRefuse(await orUnavailable(found))

function orRefuse(project: ProjectSettings | undefined): ProjectSettings {
  if (project) return project
  throw new ApiError('invalid_api_key', 'No project has this API key: copy it from the project settings.', {
    attr: 'api_key',
  })
}

export const lookUp = async (key: string, projects: ProjectDirectory): Promise<ProjectSettings | undefined> =>
  orUnavailable(Promise.resolve(projects.find(key)))

/**
 * Without the database an unknown key cannot be checked: answer 503, so that the client tries again, instead of 401.
 */
async function orUnavailable(found: Promise<ProjectSettings | undefined>): Promise<ProjectSettings | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('unavailable', undefined, { retryAfterSeconds: 5 })
  }
}
