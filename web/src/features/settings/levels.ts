/** Levels of members, as the API numbers them. */
export const OWNER = 15
export const LEVELS = [
  { level: 1, name: 'member' },
  { level: 8, name: 'admin' },
  { level: OWNER, name: 'owner' },
] as const

export const levelName = (level: number): string => LEVELS.findLast((one) => one.level <= level)?.name ?? 'member'

export const MEMBERS = '/api/organizations/@current/members/'
export const INVITES = '/api/organizations/@current/invites/'
