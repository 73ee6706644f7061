import { Link } from '@tanstack/react-router'
import { useProject, useProjectParams } from '../../api/project.tsx'
import { CodeBlock } from '../../ui/code.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { usePart } from './ask.ts'
import { overviewNode } from './nodes.ts'
import { useWebSource } from './source.tsx'

/** Whether nobody came at all: not because of filters, and not even bots. */
export function useNoVisits(): boolean {
  const { state } = useWebSource()
  const { data, isPlaceholderData } = usePart(overviewNode(state), { lane: 'figures' })
  if (!data || isPlaceholderData || state.filters?.length || state.goal || state.bots) return false
  const sessions = data.results.find(({ key }) => key === 'sessions')?.value
  return sessions === 0 && (data.hidden_bots?.sessions ?? 0) === 0
}

/** What to paste, with the key of the project. */
export function NoVisits() {
  const project = useProject()
  const params = useProjectParams()
  const host = window.location.origin
  return (
    <section className="card web-none">
      <EmptyState icon="web" title="No page views in this period">
        Choose a longer range, or add this line to the head of every page. It is a script under 2 kB that sets no
        cookies, and counts page views and links to other sites.
      </EmptyState>
      <CodeBlock
        label="Snippet for web pages"
        code={`<script defer src="${host}/static/footfall.js" data-key="${project.api_token}"></script>`}
        wrap
      />
      <p className="small soft">
        Already using posthog-js? Its page views appear here too.{' '}
        <Link to="/project/$projectId/start" params={params}>
          Other ways to send events, and demo data
        </Link>
      </p>
    </section>
  )
}
