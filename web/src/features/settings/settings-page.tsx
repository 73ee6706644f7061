import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useProjectParams } from '../../api/project.tsx'
import { me } from '../../api/queries.ts'
import { Page } from '../../ui/page.tsx'
import { AccountSettings } from './account.tsx'
import { AuditLogSettings } from './audit-log.tsx'
import { DeletionSettings } from './deletions.tsx'
import { KeySettings } from './keys.tsx'
import { MemberSettings } from './members.tsx'
import { ProjectSettings } from './project.tsx'
import { StatusSettings } from './status.tsx'
import '../../ui/section-nav.css'

const SECTIONS = {
  project: { label: 'Project', show: ProjectSettings },
  members: { label: 'Members', show: MemberSettings },
  keys: { label: 'Personal API keys', show: KeySettings },
  deletions: { label: 'Deletions', show: DeletionSettings },
  audit: { label: 'Audit log', show: AuditLogSettings },
  status: { label: 'System status', show: StatusSettings },
  account: { label: 'Account', show: AccountSettings },
} as const

export function SettingsPage() {
  const params = useProjectParams()
  const { section = 'project' } = useParams({ strict: false })
  const chosen = section in SECTIONS ? (section as keyof typeof SECTIONS) : 'project'
  const Shown = SECTIONS[chosen].show
  const { data: user } = useQuery(me())
  // The status of the service is for those who run it.
  const sections = Object.entries(SECTIONS).filter(([id]) => id !== 'status' || user?.is_staff !== false)
  return (
    <Page title="Settings">
      <div className="sections">
        <nav className="section-nav" aria-label="Settings">
          {sections.map(([id, { label }]) => (
            <Link
              key={id}
              to="/project/$projectId/settings/$section"
              params={{ ...params, section: id }}
              className={`section-link ${id === chosen ? 'active' : ''}`}
              aria-current={id === chosen ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
          <Link to="/project/$projectId/start" params={params} className="section-link">
            Install
          </Link>
        </nav>
        <div className="section-body">
          <Shown />
        </div>
      </div>
    </Page>
  )
}
