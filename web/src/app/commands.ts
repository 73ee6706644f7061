import { useNavigate } from '@tanstack/react-router'
import { useProjectParams } from '../api/project.tsx'
import { emptyDraft } from '../features/insights/index.ts'
import { useTheme } from '../lib/use-theme.ts'
import type { Choice } from '../ui/choice-list.tsx'

export interface Found extends Choice {
  go: () => void
}

/** Sections of the settings, and what is found there. */
const SETTINGS = [
  { section: 'project', label: 'Project settings', also: 'Key, time zone, retention, test accounts' },
  { section: 'members', label: 'Members', also: 'Invitations and roles' },
  { section: 'keys', label: 'Personal API keys', also: 'For scripts and tools' },
  { section: 'deletions', label: 'Deletions', also: 'What was erased, and when' },
  { section: 'audit', label: 'Audit log', also: 'Who did what, when and from where' },
  { section: 'status', label: 'System status', also: 'Health, disk, queues' },
  { section: 'account', label: 'Account', also: 'Password, sessions, sign out' },
]

const KINDS = [
  { kind: 'trends', label: 'New trend' },
  { kind: 'funnel', label: 'New funnel' },
  { kind: 'retention', label: 'New retention' },
  { kind: 'paths', label: 'New paths' },
  { kind: 'lifecycle', label: 'New lifecycle' },
  { kind: 'stickiness', label: 'New stickiness' },
  { kind: 'sql', label: 'New SQL query' },
] as const

/** What can be done or reached by a word, besides the pages of the rail. */
export function useCommands(): Found[] {
  const navigate = useNavigate()
  const params = useProjectParams()
  const [theme, setTheme] = useTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  const settings = (section: string) =>
    void navigate({ to: '/project/$projectId/settings/$section', params: { ...params, section } })
  return [
    ...KINDS.map(({ kind, label }) => ({
      value: `new ${kind}`,
      group: 'Commands',
      label,
      go: () => void navigate({ to: '/project/$projectId/insights/new', params, search: { q: emptyDraft(kind) } }),
    })),
    {
      value: 'install',
      group: 'Commands',
      label: 'Install',
      hint: 'How to send events: snippet, SDKs, demo data',
      go: () => void navigate({ to: '/project/$projectId/start', params }),
    },
    {
      value: 'experiments',
      group: 'Commands',
      label: 'Experiments',
      hint: 'What the variants of flags changed',
      go: () => void navigate({ to: '/project/$projectId/experiments', params }),
    },
    {
      value: 'early-access',
      group: 'Commands',
      label: 'Early access',
      hint: 'Features that people turn on themselves',
      go: () => void navigate({ to: '/project/$projectId/early-access', params }),
    },
    { value: 'invite', group: 'Commands', label: 'Invite someone', go: () => settings('members') },
    {
      value: 'theme',
      group: 'Commands',
      label: other === 'dark' ? 'Dark theme' : 'Light theme',
      go: () => setTheme(other),
    },
    ...SETTINGS.map(({ section, label, also }) => ({
      value: `settings ${section}`,
      group: 'Settings',
      label,
      hint: also,
      go: () => settings(section),
    })),
  ]
}
