import { lazy, Suspense } from 'react'
import type { Project } from '../api/contract.ts'
import { useTheme } from '../lib/use-theme.ts'
import { IconButton } from '../ui/controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { partCode } from './page-code.ts'

// Menus load after the first paint: the menu library would add a third to the entry script.
const menus = () => partCode(() => import('./top-menus.tsx'))
const ProjectSwitch = lazy(() => menus().then((module) => ({ default: module.ProjectSwitch })))
const Account = lazy(() => menus().then((module) => ({ default: module.Account })))

export function TopLine({
  projectId,
  project,
  missing,
  onSearch,
}: {
  projectId: string
  project: Project | undefined
  /** There is no such project for this user, or the service does not respond. */
  missing: boolean
  onSearch: () => void
}) {
  const [theme, setTheme] = useTheme()
  return (
    <header className="topline">
      <Suspense
        fallback={
          <span className="project-button truncate" aria-busy="true">
            {project?.name}
          </span>
        }
      >
        <ProjectSwitch projectId={projectId} project={project} missing={missing} />
      </Suspense>
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
      <Suspense fallback={<span className="account-button" aria-busy="true" />}>
        <Account projectId={projectId} />
      </Suspense>
    </header>
  )
}
