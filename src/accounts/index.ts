export { type Caller, reachesOrganization, reachesProject } from './callers.ts'
export { type FirstStartSecrets, firstStart } from './first-start.ts'
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
export { createPersonalKey, findKeyHolder, noteKeyUse, type PersonalKey } from './personal-keys.ts'
export { createProject, findProject, findProjectByToken, type Project, projectsOf, updateProject } from './projects.ts'
export { applyProvisioning, isTimezone, readProvisioning } from './provision.ts'
export { grants, isScope, type Scope } from './scopes.ts'
export { hashOf, randomToken } from './secrets.ts'
export { createSignInLink, redeemSignInLink, setPassword, userOfPassword } from './sign-in.ts'
export {
  findUserByEmail,
  ROLES_AT_ORGANIZATION,
  setEmail,
  type User,
  updateUser,
  userObject,
  usersById,
} from './users.ts'
export { beginWebSession, endOtherWebSessions, endWebSession, findWebSession, SESSION_SECONDS } from './web-sessions.ts'
