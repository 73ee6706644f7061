import type { AuditEntry } from '../../api/contract.ts'

const WORDS: Record<string, string> = {
  'User signed_in': 'signed in',
  'User signed_out': 'signed out',
  'User sign_in_failed': 'failed to sign in',
  'User sign_in_link_created': 'created a sign-in link',
  'User password_changed': 'changed the password',
  'User email_changed': 'changed the email',
  'WebSession deleted': 'ended sessions',
  'PersonalAPIKey created': 'created a personal API key',
  'PersonalAPIKey updated': 'changed a personal API key',
  'PersonalAPIKey rolled': 'rolled a personal API key',
  'PersonalAPIKey deleted': 'deleted a personal API key',
  'OrganizationInvite created': 'invited someone',
  'OrganizationInvite deleted': 'withdrew an invitation',
  'OrganizationMembership created': 'joined',
  'OrganizationMembership updated': 'changed the role of a member',
  'OrganizationMembership deleted': 'removed a member',
  'Project created': 'created a project',
  'Project deleted': 'deleted a project',
  'Project updated': 'changed project settings',
  'Project token_rotated': 'replaced a project API key',
  'Project token_grace_ended': 'stopped accepting an old project API key',
  'Project secret_key_created': 'created a secret key for feature flags',
  'Project secret_key_rolled': 'rolled a secret key for feature flags',
  'Project secret_key_deleted': 'deleted a secret key for feature flags',
  'Export exported': 'exported data',
  'Export backed_up': 'made a backup',
  'Project events_imported': 'imported events',
  'Project insights_imported': 'imported insights and dashboards',
  'SharingConfiguration created': 'created a public link',
  'SharingConfiguration deleted': 'revoked a public link',
  'Person deleted': 'deleted persons',
  'Recording deleted': 'deleted recordings',
}

export const auditWords = ({ scope, activity }: AuditEntry): string =>
  WORDS[`${scope} ${activity}`] ?? `${scope} ${activity.replaceAll('_', ' ')}`

/** What it was about, in a few words; "" when that is said already. */
export function auditDetail({ scope, detail, item_id }: AuditEntry): string {
  if (scope === 'Export' || scope === 'Recording') return item_id ?? ''
  const changes = detail.changes
  const fields = Array.isArray(changes) ? changes.map(({ field }: { field: string }) => field).join(', ') : ''
  const name = [detail.name, detail.target_email, detail.email, detail.recording, detail.playlist].find(
    (text) => typeof text === 'string',
  )
  const how = typeof detail.how === 'string' ? `by ${detail.how}` : ''
  return [name, fields, how].filter(Boolean).join(': ')
}
