import type { PersonalKey } from './personal-keys.ts'
import type { User } from './users.ts'
import type { WebSession } from './web-sessions.ts'

/**
 * The caller of a request: a script with a personal API key, or a user signed in in a browser, with all rights of the
 * user.
 */
export type Caller =
  | { readonly user: User; readonly key: PersonalKey; readonly session: null }
  | { readonly user: User; readonly key: null; readonly session: WebSession }

/** Whether the caller's key may access this project or organisation. An empty list restricts nothing. */
export const reachesProject = ({ key }: Caller, id: number): boolean => reaches(key?.scoped_projects, id)
export const reachesOrganization = ({ key }: Caller, id: string): boolean => reaches(key?.scoped_organizations, id)

const reaches = <T>(only: readonly T[] | undefined, wanted: T) =>
  only === undefined || only.length === 0 || only.includes(wanted)
