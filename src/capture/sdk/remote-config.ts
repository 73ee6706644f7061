import type { ProjectFlags } from '../../flags/index.ts'
import type { ProjectSettings } from '../projects/project-directory.ts'

/**
 * What posthog-js and the mobile SDKs read at start: capture is fully on, products that Footfall does not have are off.
 * Some keys matter by being present: without `autocapture_opt_out` autocapture never starts, without gzip-js every
 * request needs a preflight, and without `hasFeatureFlags: false` the flags are requested at each page load.
 */
export function remoteConfig(project: ProjectSettings, flags?: ProjectFlags) {
  return {
    token: project.token,
    supportedCompression: ['gzip', 'gzip-js'],
    hasFeatureFlags: flags?.flags.some(({ stored }) => stored.active) ?? false,
    captureDeadClicks: false,
    capturePerformance: { network_timing: false, web_vitals: true, web_vitals_allowed_metrics: null },
    autocapture_opt_out: project.autocaptureOptOut,
    autocaptureExceptions: false,
    analytics: { endpoint: '/i/v0/e/' },
    elementsChainAsString: true,
    errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
    logs: { captureConsoleLogs: false },
    sessionRecording: project.sessionRecordingOptIn ? SESSION_RECORDING : false,
    heatmaps: project.heatmapsOptIn ?? false,
    surveys: false,
    productTours: false,
    conversations: false,
    defaultIdentifiedOnly: true,
    siteApps: [],
    isAuthenticated: false,
    toolbarParams: {},
  }
}

const SESSION_RECORDING = {
  endpoint: '/s/',
  recorderVersion: 'v2',
  consoleLogRecordingEnabled: true,
  sampleRate: null,
  minimumDurationMilliseconds: null,
  linkedFlag: null,
  networkPayloadCapture: null,
  masking: null,
  urlTriggers: [],
  urlBlocklist: [],
  eventTriggers: [],
  scriptConfig: null,
}

/** The same as a script, which a page can load without a preflight. */
export function remoteConfigScript(project: ProjectSettings, flags?: ProjectFlags): string {
  const token = JSON.stringify(project.token)
  const config = JSON.stringify({ config: remoteConfig(project, flags), siteApps: [] })
  return `(function () {
  window._POSTHOG_REMOTE_CONFIG = window._POSTHOG_REMOTE_CONFIG || {};
  window._POSTHOG_REMOTE_CONFIG[${token}] = ${config};
})();
`
}
