import { uuidV7 } from '../../lib/uuid.ts'
import type { ProjectSettings } from '../projects/project-directory.ts'
import { remoteConfig } from './remote-config.ts'

/** The answer of a service without feature flags, in the form that each version of the request expects. */
export function flagsAnswer(project: ProjectSettings, query: URLSearchParams, now: number) {
  const config = query.get('config') === 'true' ? remoteConfig(project) : {}
  const computed = { errorsWhileComputingFlags: false, requestId: uuidV7(now), evaluatedAt: now }
  return Number(query.get('v')) >= 2
    ? { ...config, flags: {}, ...computed }
    : { ...config, featureFlags: {}, featureFlagPayloads: {}, ...computed }
}

/** The older endpoint. Its answer always has the configuration; flags are a list in version 1, then a map. */
export function decideAnswer(project: ProjectSettings, query: URLSearchParams) {
  const version = Number(query.get('v') ?? 1)
  return {
    ...remoteConfig(project),
    config: { enable_collect_everything: !project.autocaptureOptOut },
    editorParams: {},
    featureFlags: version >= 2 ? {} : [],
    ...(version >= 3 ? { featureFlagPayloads: {}, errorsWhileComputingFlags: false } : {}),
    ...(version >= 4 ? { flags: {} } : {}),
  }
}
