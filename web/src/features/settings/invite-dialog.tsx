import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { NewInvitation } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { useProject } from '../../api/project.tsx'
import { ApiFailure } from '../../lib/api-failure.ts'
import { dateTime } from '../../lib/format.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Button, Select, TextField } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { INVITES, LEVELS } from './levels.ts'

/** Creates a link and shows it. No email is sent: the inviting user passes the link on. */
export function InviteDialog({ mine, onClose }: { mine: number; onClose: () => void }) {
  const client = useQueryClient()
  const { timezone } = useProject()
  const [level, setLevel] = useState('1')
  const [days, setDays] = useState('3')
  const create = useMutation({
    mutationFn: (email: string) =>
      ask<NewInvitation>(INVITES, {
        body: { target_email: email || null, level: Number(level), expires_in_days: Number(days) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(String(new FormData(event.currentTarget).get('email')).trim())
  }
  const { data: made, error } = create
  if (made)
    return (
      <Dialog title="Your invitation" onClose={onClose} width={520}>
        <div className="once">
          <p className="small strong">
            Send this link to {made.target_email ?? 'the person you are inviting'}. It is shown only once.
          </p>
          <CodeBlock label="Invitation link" code={made.url} />
          <p className="tiny soft">
            It works once, until {dateTime(made.expires_at, timezone)} {timezone}.
          </p>
        </div>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title="Invite someone" onClose={onClose}>
      <form className="stack" style={{ gap: 14 }} onSubmit={submit}>
        <TextField
          label="Email (optional)"
          name="email"
          type="email"
          autoComplete="off"
          autoFocus
          hint="If set, the link can only create an account with this address. No email is sent."
          error={error instanceof ApiFailure ? error.message : null}
        />
        <div className="row-wrap" style={{ gap: 16 }}>
          <Select
            label="Role"
            hideLabel={false}
            value={level}
            options={LEVELS.filter((one) => one.level <= mine).map((one) => ({
              value: String(one.level),
              label: one.name,
            }))}
            onChange={(event) => setLevel(event.target.value)}
          />
          <Select
            label="Link is valid"
            hideLabel={false}
            value={days}
            options={[
              { value: '1', label: 'for a day' },
              { value: '3', label: 'for 3 days' },
              { value: '7', label: 'for a week' },
              { value: '30', label: 'for 30 days' },
            ]}
            onChange={(event) => setDays(event.target.value)}
          />
        </div>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" icon="link" busy={create.isPending}>
            Create link
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
