import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Account } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { me } from '../../api/queries.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { Card } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { say, sayFailure } from '../../ui/toast.tsx'
import { Sessions } from './sessions.tsx'

export function AccountSettings() {
  const { data: user, error, isPending, refetch } = useQuery(me())
  if (error) return <ErrorState error={error} retry={() => refetch()} />
  if (isPending || !user) return <SkeletonRows rows={5} />
  return (
    <>
      <Name user={user} />
      <Email key={user.email} user={user} />
      <Password user={user} />
      <Sessions />
      <SignOut />
    </>
  )
}

function Name({ user }: { user: Account }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) => ask<Account>('/api/users/@me/', { method: 'PATCH', body }),
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
    <Card title="Name">
      <form className="form" onSubmit={submit}>
        <TextField label="First name" name="first_name" defaultValue={user.first_name} maxLength={150} />
        <TextField
          label="Last name"
          name="last_name"
          defaultValue={user.last_name}
          maxLength={150}
          error={save.error?.message ?? null}
        />
        <div>
          <Button type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Email({ user }: { user: Account }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: Record<string, unknown>) => ask('/api/users/@me/email/', { body }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['me'] })
      say('You now sign in with this email')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(Object.fromEntries(new FormData(event.currentTarget)))
  }
  return (
    <Card title="Email">
      <form className="form" onSubmit={submit}>
        <TextField
          label="You sign in with"
          name="email"
          type="email"
          autoComplete="email"
          defaultValue={user.email}
          required
          error={wrong(change.error, 'email')}
        />
        {user.has_password && (
          <TextField
            label="Your password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            error={wrong(change.error, 'current_password')}
          />
        )}
        <div>
          <Button type="submit" busy={change.isPending}>
            Change email
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** The error of this field; an error of no field in particular is shown at the first one. */
const wrong = (error: Error | null, attr: string): string | null =>
  error && (!(error instanceof ApiFailure) || error.attr === null || error.attr === attr) ? error.message : null

const attrOf = (error: Error | null): string | null => (error instanceof ApiFailure ? error.attr : null)

function SignOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: () => ask('/api/logout/', { method: 'POST' }),
    onSuccess: async () => {
      client.clear()
      await navigate({ to: '/sign-in' })
    },
    onError: sayFailure,
  })
  return (
    <Card title="This browser">
      <p className="small soft">You stay signed in for two weeks after your last visit, and for 90 days at most.</p>
      <div>
        <Button icon="signout" onClick={() => leave.mutate()} busy={leave.isPending}>
          Sign out
        </Button>
      </div>
    </Card>
  )
}

function Password({ user }: { user: Account }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: Record<string, unknown>) => ask('/api/users/@me/password/', { body }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['me'] })
      void client.invalidateQueries({ queryKey: ['sessions'] })
      say('Password changed. Other browsers were signed out.')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    change.mutate(Object.fromEntries(new FormData(form)), { onSuccess: () => form.reset() })
  }
  return (
    <Card title={!user.has_password ? 'Set a password' : 'Change your password'}>
      <form className="form" onSubmit={submit}>
        <input type="email" name="username" autoComplete="username" value={user.email} readOnly hidden />
        {user.has_password && (
          <TextField
            label="Current password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            error={attrOf(change.error) === 'current_password' ? (change.error?.message ?? null) : null}
          />
        )}
        <TextField
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          required
          hint="At least 8 characters, and not a common password."
          error={attrOf(change.error) === 'current_password' ? null : (change.error?.message ?? null)}
        />
        <div>
          <Button type="submit" busy={change.isPending}>
            {!user.has_password ? 'Set password' : 'Change password'}
          </Button>
        </div>
      </form>
    </Card>
  )
}
