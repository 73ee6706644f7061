import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { Button } from '../../ui/controls.tsx'
import { usePanels } from '../panels/index.ts'
import { ShareDialog } from '../recordings/index.ts'
import { NoVisits, useNoVisits } from './no-visits.tsx'
import { withChange } from './search.ts'
import type { WebSource } from './source.tsx'
import { WebFrame } from './web-frame.tsx'
import { WebView } from './web-view.tsx'

const HERE = '/project/$projectId/web'

/** Who came, from where, to see what: one page, readable at once. */
export function WebPage() {
  const project = useProject()
  const navigate = useNavigate({ from: HERE })
  const state = useSearch({ from: HERE })
  const panels = usePanels()
  const [sharing, setSharing] = useState(false)
  const source: WebSource = useMemo(
    () => ({
      url: inProject(project.id, 'web_analytics/'),
      zone: project.timezone,
      projectId: String(project.id),
      state,
      change: (next, { replace = false } = {}) =>
        void navigate({ search: (was) => withChange(was, next), resetScroll: false, replace }),
      open: panels.open,
    }),
    [project.id, project.timezone, state, navigate, panels.open],
  )
  return (
    <WebFrame
      title="Web analytics"
      source={source}
      actions={
        <Button icon="link" onClick={() => setSharing(true)}>
          Share
        </Button>
      }
    >
      <Parts />
      {sharing && (
        <ShareDialog
          path="web_analytics/"
          what="page"
          about="They can change its dates and filters, but see no people, recordings or anything else of the project."
          search={window.location.search}
          onClose={() => setSharing(false)}
        />
      )}
    </WebFrame>
  )
}

const Parts = () => (useNoVisits() ? <NoVisits /> : <WebView />)
