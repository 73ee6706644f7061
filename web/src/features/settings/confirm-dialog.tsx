import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useProject } from '../../api/project.tsx'
import { me } from '../../api/queries.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

export interface Confirmation {
  confirm: string
  current_password?: string
}

/**
 * Asks for confirmation of something that cannot be undone: the name of the project, and the password if the user has
 * one.
 */
export function ConfirmDialog({
  title,
  action,
  children,
  fields,
  run,
  onClose,
}: {
  title: string
  action: string
  children: ReactNode
  fields?: ReactNode
  run: (confirmation: Confirmation, form: FormData) => Promise<unknown>
  onClose: () => void
}) {
  const project = useProject()
  const { data: user } = useQuery(me())
  const [typed, setTyped] = useState('')
  const go = useMutation({
    mutationFn: (form: FormData) => {
      const password = form.get('current_password')
      return run({ confirm: typed, ...(typeof password === 'string' ? { current_password: password } : {}) }, form)
    },
    onSuccess: onClose,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    go.mutate(new FormData(event.currentTarget))
  }
  const attr = go.error instanceof ApiFailure ? go.error.attr : null
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" style={{ gap: 14 }} onSubmit={submit}>
        <p className="small">{children}</p>
        {fields}
        <TextField
          label={`Type the project name: ${project.name}`}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          required
          error={attr === 'current_password' ? null : (go.error?.message ?? null)}
        />
        {user?.has_password !== false && (
          <TextField
            label="Your password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            error={attr === 'current_password' ? (go.error?.message ?? null) : null}
          />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={go.isPending} disabled={typed.trim() !== project.name.trim()}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
