import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { ask } from '../api/http.ts'
import { me } from '../api/queries.ts'
import type { User } from '../api/types.ts'
import { Button, TextField } from '../ui/controls.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { say } from '../ui/toast.tsx'

export function AccountSettings() {
  const { data: user, error, isPending, refetch } = useQuery(me())
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending || !user) return <SkeletonRows rows={5} />
  return (
    <>
      <Name user={user} />
      <Password user={user} />
    </>
  )
}

function Name({ user }: { user: User }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) => ask<User>('/api/users/@me/', { method: 'PATCH', body }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['me'] })
      say('Saved')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(Object.fromEntries(new FormData(event.currentTarget)))
  }
  return (
    <Card title="You">
      <form className="form" onSubmit={submit}>
        <TextField label="First name" name="first_name" defaultValue={user.first_name} maxLength={150} />
        <TextField
          label="Last name"
          name="last_name"
          defaultValue={user.last_name}
          maxLength={150}
          error={save.error?.message ?? null}
        />
        <p className="small soft">You sign in as {user.email}.</p>
        <div>
          <Button type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Password({ user }: { user: User }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: Record<string, unknown>) => ask('/api/users/@me/password/', { body }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['me'] })
      say('The password is changed; other browsers are signed out')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    change.mutate(Object.fromEntries(new FormData(form)), { onSuccess: () => form.reset() })
  }
  return (
    <Card title={user.has_password === false ? 'Set a password' : 'Change the password'}>
      <form className="form" onSubmit={submit}>
        <input type="email" name="username" autoComplete="username" value={user.email} readOnly hidden />
        {user.has_password !== false && (
          <TextField
            label="Current password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
        <TextField
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          required
          hint="At least 8 characters."
          error={change.error?.message ?? null}
        />
        <div>
          <Button type="submit" busy={change.isPending}>
            {user.has_password === false ? 'Set password' : 'Change password'}
          </Button>
        </div>
      </form>
    </Card>
  )
}
