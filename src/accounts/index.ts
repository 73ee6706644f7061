export { type Activity, type Change, noteActivities } from './activity.ts'
export { isAllowedFrom } from './allowed-addresses.ts'
export { type AuditEntry, type AuditRow, forgetOldAudit, noteAudit, readAudit } from './audit.ts'
export { type Caller, reachesOrganization, reachesProject } from './callers.ts'
export { deleteProject } from './delete-project.ts'
export { type FirstStartSecrets, firstStart } from './first-start.ts'
export { isInstanceAdmin } from './instance-admins.ts'
export {
  acceptInvitation,
  createInvitation,
  findInvitation,
  type Invitation,
  type Newcomer,
  openInvitations,
  withdrawInvitation,
} from './invitations.ts'
export { deleteKey, findKey, keysOf, MOST_KEYS_PER_USER, rollKey, updateKey } from './key-management.ts'
export { lockMembers, mayChangeLevel, mayRemove, removeMember, setLevel } from './members.ts'
export { LEVELS, type Member, type MemberLevel, type Membership, membersOf, organizationsOf } from './organizations.ts'
export { hashPassword } from './password-hashing.ts'
export { createPersonalKey, findKeyHolder, noteKeyUse, type PersonalKey } from './personal-keys.ts'
export { acceptedTokens, endGrace, rotateProjectToken } from './project-tokens.ts'
export { createProject, findProject, findProjectByToken, type Project, projectsOf, updateProject } from './projects.ts'
export { applyProvisioning, isTimezone, readProvisioning } from './provision.ts'
export { grants, isScope, type Scope } from './scopes.ts'
export {
  createSecretKey,
  deleteSecretKey,
  type FlagAccess,
  findSecretKey,
  flagAccess,
  listSecretKeys,
  rollSecretKey,
  type SecretKey,
} from './secret-keys.ts'
export { hashOf, randomToken } from './secrets.ts'
export {
  createSignInLink,
  noteSignInFrom,
  redeemSignInLink,
  setPassword,
  signsInFrom,
  userOfPassword,
} from './sign-in.ts'
export {
  findUserByEmail,
  setEmail,
  type User,
  updateUser,
  userObject,
  usersById,
} from './users.ts'
export { isCommonPassword, SHORTEST_PASSWORD } from './weak-passwords.ts'
export {
  beginWebSession,
  endAllWebSessions,
  endOtherWebSessions,
  endWebSession,
  endWebSessionById,
  findWebSession,
  SESSION_SECONDS,
  type WebSession,
  webSessionsOf,
} from './web-sessions.ts'
