import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import type { OpenInvitation } from '../../api/contract.ts'
import { ask } from '../../api/http.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { describe, EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import './sign-in-page.css'

/** Where an invitation leads: an account is made, or joined with the one there is. */
export function JoinPage() {
  const { token } = useParams({ from: '/join/$token' })
  const path = `/api/signup/${encodeURIComponent(token)}/`
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => ask<OpenInvitation>(path, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    document.title = 'Join · Footfall'
  }, [])
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <img src="/favicon.svg" alt="" width={40} height={40} />
        {error instanceof ApiFailure && error.status === 404 ? (
          <>
            <h1 className="unseen">Join</h1>
            <EmptyState icon="link" title="This invitation does not work">
              It was already used, was withdrawn, or has expired. Ask for a new one.
            </EmptyState>
          </>
        ) : error ? (
          <ErrorState error={error} retry={() => refetch()} />
        ) : isPending ? (
          <SkeletonRows rows={5} />
        ) : (
          <Join invitation={data} path={path} />
        )}
      </div>
    </main>
  )
}

function Join({ invitation, path }: { invitation: OpenInvitation; path: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{ attr: string | null; text: string } | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      await ask(path, { body: Object.fromEntries(new FormData(event.currentTarget)) })
      client.clear()
      await navigate({ to: '/' })
    } catch (error) {
      setBusy(false)
      setProblem({
        attr: error instanceof ApiFailure ? error.attr : null,
        text:
          error instanceof ApiFailure && error.status < 500 && error.status > 0 ? error.message : describe(error).text,
      })
    }
  }
  const wrong = (attr: string) => (problem?.attr === attr ? problem.text : null)
  const { target_email, has_account } = invitation
  return (
    <>
      <h1>Join {invitation.organization_name}</h1>
      <p className="small soft">
        {has_account
          ? 'You already have an account. Sign in with its password to join.'
          : 'Choose a password to create your account. If you already have one, use its password.'}
      </p>
      <form onSubmit={submit} className="stack sign-in-form">
        {target_email ? (
          <TextField label="Email" type="email" autoComplete="username" value={target_email} readOnly />
        ) : (
          <TextField label="Email" name="email" type="email" autoComplete="username" required error={wrong('email')} />
        )}
        {!has_account && (
          <>
            <TextField label="First name" name="first_name" autoComplete="given-name" maxLength={150} />
            <TextField label="Last name" name="last_name" autoComplete="family-name" maxLength={150} />
          </>
        )}
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete={has_account ? 'current-password' : 'new-password'}
          required
          {...(has_account ? {} : { minLength: 8, hint: 'At least 8 characters.' })}
          error={wrong('password')}
        />
        {problem && problem.attr !== 'email' && problem.attr !== 'password' && (
          <p role="alert" className="sign-in-problem">
            {problem.text}
          </p>
        )}
        <Button kind="primary" type="submit" busy={busy}>
          Join
        </Button>
      </form>
    </>
  )
}
