/** What a personal API key may do: `object:read`, `object:write` (which includes reading) or `*`. */
const OBJECTS = [
  'action',
  'activity_log',
  'annotation',
  'batch_export',
  'cohort',
  'dashboard',
  'dashboard_template',
  'early_access_feature',
  'event_definition',
  'experiment',
  'export',
  'feature_flag',
  'group',
  'heatmap',
  'insight',
  'query',
  'notebook',
  'organization',
  'organization_member',
  'person',
  'plugin',
  'project',
  'property_definition',
  'session_recording',
  'session_recording_playlist',
  'sharing_configuration',
  'subscription',
  'survey',
  'user',
  'webhook',
] as const

export type Scope = `${(typeof OBJECTS)[number]}:${'read' | 'write'}`

export function isScope(text: string): boolean {
  const [object, access, ...rest] = text.split(':')
  return (
    text === '*' ||
    (rest.length === 0 &&
      (OBJECTS as readonly string[]).includes(object ?? '') &&
      (access === 'read' || access === 'write'))
  )
}

export function grants(granted: readonly string[], needed: Scope): boolean {
  return granted.includes('*') || granted.includes(needed) || granted.includes(needed.replace(/:read$/, ':write'))
}
