import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Project } from '../api/contract.ts'
import { ask } from '../api/http.ts'
import { me, projects } from '../api/queries.ts'
import { Avatar } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem, MenuLine, MenuLink } from '../ui/menu.tsx'
import { Skeleton } from '../ui/states.tsx'

/** Which project is shown, and the way to another one. */
export function ProjectSwitch({
  projectId,
  project,
  missing,
}: {
  projectId: string
  project: Project | undefined
  missing: boolean
}) {
  const { data } = useQuery(projects())
  const all = data?.results ?? []
  if (!project && !missing) return <Skeleton width={120} height={18} />
  if (project && all.length < 2) return <span className="project-button truncate">{project.name}</span>
  if (all.length === 0) return null
  return (
    <Menu
      label="Projects"
      trigger={(props) => (
        <button type="button" className="project-button" {...props}>
          <span className="truncate">{project?.name ?? 'Choose a project'}</span>
          <Icon name="down" size={14} />
        </button>
      )}
    >
      {all.map((other) => (
        <MenuLink key={other.id} link={<Link to="/project/$projectId" params={{ projectId: String(other.id) }} />}>
          <span className="grow truncate">{other.name}</span>
          {String(other.id) === projectId && <Icon name="check" size={15} />}
        </MenuLink>
      ))}
    </Menu>
  )
}

const SETTINGS = '/project/$projectId/settings/$section'

/** Who is signed in. */
export function Account({ projectId }: { projectId: string }) {
  const { data: user } = useQuery(me())
  const navigate = useNavigate()
  const client = useQueryClient()
  const name = user ? `${user.first_name} ${user.last_name}`.trim() || user.email : 'You'
  const signOut = async () => {
    await ask('/api/logout', { method: 'POST' }).catch(() => {})
    client.clear()
    await navigate({ to: '/sign-in' })
  }
  return (
    <Menu
      label="Account"
      align="right"
      width={240}
      trigger={(props) => (
        <button type="button" className="account-button" aria-label={`Account of ${name}`} {...props}>
          <Avatar name={name} size={28} />
        </button>
      )}
    >
      <div className="menu-item" style={{ cursor: 'default' }}>
        <span className="truncate">
          <span className="strong">{name}</span>
          <br />
          <span className="soft tiny">{user?.email}</span>
        </span>
      </div>
      <MenuLine />
      <MenuLink link={<Link to={SETTINGS} params={{ projectId, section: 'account' }} />}>
        <Icon name="persons" size={16} /> Account and password
      </MenuLink>
      <MenuLink link={<Link to={SETTINGS} params={{ projectId, section: 'keys' }} />}>
        <Icon name="key" size={16} /> Personal API keys
      </MenuLink>
      <MenuLine />
      <MenuItem onClick={signOut}>
        <Icon name="signout" size={16} /> Sign out
      </MenuItem>
    </Menu>
  )
}
