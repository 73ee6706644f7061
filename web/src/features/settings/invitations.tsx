import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Invitation, Page } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { dateTime } from '../../lib/format.ts'
import { userName } from '../../lib/names.ts'
import { Button } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { INVITES, levelName } from './levels.ts'

/** Links that nobody has used yet. Without any there is nothing to show. */
export function Invitations() {
  const project = useProject()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => ask<Page<Invitation>>(INVITES, { signal }),
  })
  const withdraw = useMutation({
    mutationFn: (id: string) => ask(`${INVITES}${id}/`, { method: 'DELETE' }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['invitations'] })
      say('Invitation withdrawn')
    },
    onError: sayFailure,
  })
  if (!data?.results.length) return null
  const columns: Column<Invitation>[] = [
    {
      id: 'who',
      header: 'For',
      cell: ({ target_email }) => target_email ?? <span className="soft">anyone with the link</span>,
    },
    { id: 'level', header: 'Role', cell: ({ level }) => levelName(level) },
    {
      id: 'by',
      header: 'By',
      spare: true,
      cell: ({ created_by }) => userName(created_by),
    },
    { id: 'until', header: 'Expires', spare: true, cell: ({ expires_at }) => dateTime(expires_at, project.timezone) },
    {
      id: 'withdraw',
      header: <span className="unseen">Withdraw</span>,
      align: 'right',
      cell: ({ id }) => (
        <Button small kind="danger" onClick={() => withdraw.mutate(id)}>
          Withdraw
        </Button>
      ),
    },
  ]
  return (
    <Card title="Invitations" flush>
      <Table label="Invitations" columns={columns} rows={data.results} rowKey={({ id }) => id} />
    </Card>
  )
}
