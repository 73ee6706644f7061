import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member, Page, User } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { me } from '../../api/queries.ts'
import { dayOnly } from '../../lib/format.ts'
import { Avatar, Badge, Button, IconButton, Select } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LEVELS, levelName, MEMBERS, OWNER } from './levels.ts'

const nameOf = ({ first_name, last_name, email }: User): string => `${first_name} ${last_name}`.trim() || email

export function MemberSettings() {
  const project = useProject()
  const client = useQueryClient()
  const [inviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const { data: user } = useQuery(me())
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => ask<Page<Member>>(`${MEMBERS}?limit=500`, { signal }),
  })
  const mine = data?.results.find((member) => member.user.id === user?.id)?.level ?? 1
  const manages = mine > 1
  const change = useMutation({
    mutationFn: ({ id, level }: { id: string; level: number }) =>
      ask(`${MEMBERS}${id}/`, { method: 'PATCH', body: { level } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['members'] })
      say('Saved')
    },
    onError: sayFailure,
  })
  const mayChange = (member: Member) => manages && member.user.id !== user?.id && member.level <= mine
  const columns: Column<Member>[] = [
    {
      id: 'name',
      header: 'Member',
      cell: ({ user: someone }) => (
        <span className="row">
          <Avatar name={nameOf(someone)} size={24} />
          <span className="truncate">{nameOf(someone)}</span>
          {someone.id === user?.id && <Badge>you</Badge>}
        </span>
      ),
    },
    {
      id: 'email',
      header: 'Email',
      spare: true,
      cell: ({ user: { email } }) => <span className="soft">{email}</span>,
    },
    {
      id: 'level',
      header: 'Role',
      width: '130px',
      cell: (member) =>
        mayChange(member) ? (
          <Select
            label={`Role of ${nameOf(member.user)}`}
            value={String(member.level)}
            options={LEVELS.filter(({ level }) => level <= mine).map(({ level, name }) => ({
              value: String(level),
              label: name,
            }))}
            onChange={(event) => change.mutate({ id: member.id, level: Number(event.target.value) })}
          />
        ) : (
          levelName(member.level)
        ),
    },
    {
      id: 'joined',
      header: 'Since',
      align: 'right',
      width: '110px',
      spare: true,
      cell: ({ joined_at }) => dayOnly(joined_at, project.timezone),
    },
    {
      id: 'remove',
      header: <span className="unseen">Remove</span>,
      align: 'right',
      width: '56px',
      cell: (member) =>
        (mayChange(member) || (member.user.id === user?.id && member.level < OWNER)) && (
          <IconButton
            small
            icon={member.user.id === user?.id ? 'signout' : 'trash'}
            label={member.user.id === user?.id ? 'Leave' : `Remove ${nameOf(member.user)}`}
            onClick={() => setLeaving(member)}
          />
        ),
    },
  ]
  return (
    <>
      <Card
        title="Members"
        flush
        action={
          manages && (
            <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      >
        {error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : isPending ? (
          <SkeletonRows rows={3} />
        ) : (
          <Table label="Members" columns={columns} rows={data.results} rowKey={({ id }) => id} />
        )}
      </Card>
      {manages && <Invitations />}
      <p className="small soft">
        Members see and change everything in every project. Admins also invite and remove people and create projects.
        Owners also make other owners.
      </p>
      {inviting && <InviteDialog mine={mine} onClose={() => setInviting(false)} />}
      {leaving && (
        <RemoveDialog member={leaving} self={leaving.user.id === user?.id} onClose={() => setLeaving(null)} />
      )}
    </>
  )
}

function RemoveDialog({ member, self, onClose }: { member: Member; self: boolean; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => ask(`${MEMBERS}${member.id}/`, { method: 'DELETE' }),
    onSuccess: async () => {
      say(self ? 'You left the organization' : `${nameOf(member.user)} was removed`)
      onClose()
      await client.invalidateQueries()
    },
    onError: sayFailure,
  })
  return (
    <Dialog title={self ? 'Leave the organization?' : `Remove ${nameOf(member.user)}?`} onClose={onClose}>
      <p className="small soft">
        {self
          ? 'You will lose access to this organization, and your keys will stop working for it.'
          : 'They will lose access to this organization, and their keys will stop working for it. What they created is kept.'}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" onClick={() => remove.mutate()} busy={remove.isPending}>
          {self ? 'Leave' : 'Remove'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
