import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { ago } from '../../lib/format.ts'
import { Badge, Button } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { browserName } from './browser-name.ts'

const SESSIONS = '/api/users/@me/sessions/'

/** Where somebody is signed in, and how it is ended from here. */
export function Sessions() {
  const client = useQueryClient()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => ask<{ results: Session[] }>(SESSIONS, { signal }),
  })
  const end = useMutation({
    mutationFn: (id: string) => ask(`${SESSIONS}${id}`, { method: 'DELETE' }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sessions'] })
      say('Signed out that browser')
    },
    onError: sayFailure,
  })
  const others = data?.results.some(({ is_current }) => !is_current) ?? false
  const columns: Column<Session>[] = [
    {
      id: 'browser',
      header: 'Browser',
      cell: ({ user_agent, is_current }) => (
        <span className="row" title={user_agent}>
          <span className="truncate">{browserName(user_agent)}</span>
          {is_current && <Badge tone="good">this browser</Badge>}
        </span>
      ),
    },
    { id: 'address', header: 'Signed in from', spare: true, cell: ({ address }) => address ?? 'unknown' },
    { id: 'since', header: 'Since', spare: true, cell: ({ created_at }) => ago(created_at) },
    { id: 'seen', header: 'Last used', cell: ({ last_seen_at }) => ago(last_seen_at) },
    {
      id: 'end',
      header: <span className="unseen">Sign out</span>,
      align: 'right',
      cell: ({ id, is_current, user_agent }) =>
        is_current ? null : (
          <Button onClick={() => end.mutate(`${id}/`)} aria-label={`Sign out ${browserName(user_agent)}`}>
            Sign out
          </Button>
        ),
    },
  ]
  return (
    <Card
      flush
      title="Where you are signed in"
      action={
        others && (
          <Button onClick={() => end.mutate('')} busy={end.isPending}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={2} />
      ) : (
        <Table label="Where you are signed in" columns={columns} rows={data.results} rowKey={({ id }) => id} />
      )}
    </Card>
  )
}
