import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/http.ts'
import type { Page, User } from '../api/types.ts'
import { useProject } from '../frame/project.tsx'
import { dayOnly } from '../lib/format.ts'
import { Avatar, Badge } from '../ui/controls.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'

interface Member {
  id: string
  user: User
  level: number
  joined_at: string
}

export function MemberSettings() {
  const project = useProject()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => ask<Page<Member>>('/api/organizations/@current/members/', { signal }),
  })
  const columns: Column<Member>[] = [
    {
      id: 'name',
      header: 'Member',
      cell: ({ user }) => (
        <span className="row">
          <Avatar name={user.first_name || user.email} size={24} />
          {`${user.first_name} ${user.last_name}`.trim() || user.email}
        </span>
      ),
    },
    { id: 'email', header: 'E-mail', spare: true, cell: ({ user }) => <span className="soft">{user.email}</span> },
    {
      id: 'level',
      header: 'May',
      cell: ({ level }) => <Badge>{level >= 15 ? 'owner' : level >= 8 ? 'admin' : 'member'}</Badge>,
    },
    { id: 'joined', header: 'Since', align: 'right', cell: ({ joined_at }) => dayOnly(joined_at, project.timezone) },
  ]
  return (
    <Card title="Members" flush>
      {error ? (
        <ErrorState error={error} retry={() => refetch()} />
      ) : isPending ? (
        <SkeletonRows rows={3} />
      ) : (
        <Table label="Members" columns={columns} rows={data.results} rowKey={({ id }) => id} />
      )}
    </Card>
  )
}
