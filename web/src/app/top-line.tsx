import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ask } from '../api/http.ts'
import { me, projects } from '../api/queries.ts'
import type { Project } from '../api/types.ts'
import { useTheme } from '../lib/use-theme.ts'
import { Avatar, IconButton } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { MenuItem, Popover } from '../ui/popover.tsx'
import { Skeleton } from '../ui/states.tsx'

export function TopLine({
  projectId,
  project,
  missing,
  onSearch,
}: {
  projectId: string
  project: Project | undefined
  /** There is no such project for this user, or nobody to ask. */
  missing: boolean
  onSearch: () => void
}) {
  const [theme, setTheme] = useTheme()
  return (
    <header className="topline">
      <ProjectSwitch projectId={projectId} project={project} missing={missing} />
      <span className="grow" />
      <button type="button" className="search-button" onClick={onSearch}>
        <Icon name="search" size={16} />
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      <IconButton
        label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
        icon={theme === 'dark' ? 'sun' : 'moon'}
        onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
      />
      <Account projectId={projectId} />
    </header>
  )
}

function ProjectSwitch({
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
    <Popover
      label="Projects"
      trigger={(props) => (
        <button type="button" className="project-button" {...props}>
          <span className="truncate">{project?.name ?? 'Choose a project'}</span>
          <Icon name="down" size={14} />
        </button>
      )}
    >
      {(close) => (
        <div className="menu">
          {all.map((other) => (
            <Link
              key={other.id}
              to="/project/$projectId"
              params={{ projectId: String(other.id) }}
              className="menu-item"
              onClick={close}
            >
              <span className="grow truncate">{other.name}</span>
              {String(other.id) === projectId && <Icon name="check" size={15} />}
            </Link>
          ))}
        </div>
      )}
    </Popover>
  )
}

function Account({ projectId }: { projectId: string }) {
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
    <Popover
      label="Account"
      align="right"
      width={240}
      trigger={(props) => (
        <button type="button" className="account-button" aria-label={`Account of ${name}`} {...props}>
          <Avatar name={name} size={28} />
        </button>
      )}
    >
      {(close) => (
        <div className="menu">
          <div className="menu-item" style={{ cursor: 'default' }}>
            <span className="truncate">
              <span className="strong">{name}</span>
              <br />
              <span className="soft tiny">{user?.email}</span>
            </span>
          </div>
          <div className="menu-line" />
          <Link
            to="/project/$projectId/settings/$section"
            params={{ projectId, section: 'account' }}
            className="menu-item"
            onClick={close}
          >
            <Icon name="persons" size={16} /> Account and password
          </Link>
          <Link
            to="/project/$projectId/settings/$section"
            params={{ projectId, section: 'keys' }}
            className="menu-item"
            onClick={close}
          >
            <Icon name="key" size={16} /> Personal API keys
          </Link>
          <div className="menu-line" />
          <MenuItem onClick={signOut}>
            <Icon name="signout" size={16} /> Sign out
          </MenuItem>
        </div>
      )}
    </Popover>
  )
}
