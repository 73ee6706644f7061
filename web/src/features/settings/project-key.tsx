import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AcceptedToken } from '../../api/contract.ts'
import { ask, inProject } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dateTime } from '../../lib/format.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Button, Select } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

const GRACE = [
  { value: '168', label: 'for a week' },
  { value: '720', label: 'for 30 days' },
  { value: '24', label: 'for a day' },
  { value: '0', label: 'not at all' },
]

/** The key that sends events, and how it is replaced. */
export function ProjectKey() {
  const project = useProject()
  const client = useQueryClient()
  const [replacing, setReplacing] = useState(false)
  const { data: accepted } = useQuery({
    queryKey: ['accepted-tokens', project.id],
    queryFn: ({ signal }) => ask<{ results: AcceptedToken[] }>(inProject(project.id, 'accepted_tokens/'), { signal }),
  })
  const refresh = () =>
    Promise.all(
      ['project', 'projects', 'accepted-tokens'].map((name) => client.invalidateQueries({ queryKey: [name] })),
    )
  const end = useMutation({
    mutationFn: () => ask(inProject(project.id, 'accepted_tokens/'), { method: 'DELETE' }),
    onSuccess: async () => {
      await refresh()
      say('The old key no longer works')
    },
    onError: sayFailure,
  })
  return (
    <Card title="Project API key" action={<Button onClick={() => setReplacing(true)}>Replace key</Button>}>
      <p className="small soft">Public: it goes into your web page and can only send events, never read them.</p>
      <CodeBlock label="Project API key" code={project.api_token} />
      {accepted?.results.map(({ api_token, accepted_until }) => (
        <p key={api_token} className="small soft row-wrap">
          <span>
            <span className="mono">{api_token}</span> is accepted until {dateTime(accepted_until, project.timezone)}.
          </span>
          <Button onClick={() => end.mutate()} busy={end.isPending}>
            Stop accepting it
          </Button>
        </p>
      ))}
      {replacing && (
        <ConfirmDialog
          title="Replace the project API key?"
          action="Replace key"
          onClose={() => setReplacing(false)}
          fields={<Select label="The old key is accepted" name="grace" hideLabel={false} options={GRACE} />}
          run={async (confirmation, form) => {
            const body = { ...confirmation, grace_hours: Number(form.get('grace')) }
            await ask(inProject(project.id, 'reset_token/'), { method: 'PATCH', body })
            await refresh()
            say('The project has a new key')
          }}
        >
          Pages and apps that use the old key are refused once it is no longer accepted. Update them to the new key
          first.
        </ConfirmDialog>
      )}
    </Card>
  )
}
