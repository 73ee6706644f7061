import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { projects } from '../../api/queries.ts'
import { Button } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** Everything in the project goes. */
export function DeleteProject({ project }: { project: Project }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const { data } = useQuery(projects())
  const next = data?.results.find(({ id }) => id !== project.id)
  return (
    <Card title="Delete this project">
      <p className="small soft">
        {next
          ? 'Its key stops working at once. All of its events, persons, recordings, insights and dashboards are erased.'
          : 'This is your only project. Create another one before you delete it.'}
      </p>
      <div>
        <Button kind="danger" icon="trash" disabled={!next} onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={`Delete ${project.name}?`}
          action="Delete project"
          run={async (confirmation) => {
            await ask(inProject(project.id, ''), { method: 'DELETE', body: confirmation })
            say(`${project.name} is deleted. Its data are erased within minutes.`)
            localStorage.removeItem('footfall.project')
            await navigate({ to: '/project/$projectId', params: { projectId: String(next?.id) }, replace: true })
            client.removeQueries({ type: 'inactive' })
            await client.invalidateQueries({ queryKey: ['projects'] })
          }}
          onClose={() => setAsking(false)}
        >
          Everything in it is erased for good: events, persons, recordings, insights and dashboards. Pages and apps that
          use its key are refused from now on.
        </ConfirmDialog>
      )}
    </Card>
  )
}
