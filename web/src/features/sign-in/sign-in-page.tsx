import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { ask } from '../../api/http.ts'
import { ApiFailure } from '../../lib/api-failure.ts'
import { Button, TextField } from '../../ui/controls.tsx'
import { describe } from '../../ui/states.tsx'
import './sign-in-page.css'

/** By the one-time link that the first start printed, or by e-mail and password. */
export function SignInPage() {
  const { token, next } = useSearch({ from: '/sign-in' })
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(token !== undefined)
  const enter = useEnter(next)
  const tried = useRef(false)

  useEffect(() => {
    document.title = 'Sign in · Footfall'
    // A link works once: a second try, in a development build, would be refused.
    if (!token || tried.current) return
    tried.current = true
    ask('/api/login/link', { body: { token } }).then(enter, (error) => {
      setBusy(false)
      setProblem(
        error instanceof ApiFailure && error.status < 500 && error.status > 0 && !error.missing
          ? 'This link was already used or has expired. Sign in with your email and password.'
          : describe(error).text,
      )
    })
  }, [token, enter])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      await ask('/api/login', { body: { email: form.get('email'), password: form.get('password') } })
      await enter()
    } catch (error) {
      setBusy(false)
      setProblem(
        error instanceof ApiFailure && error.status === 401 ? 'Email or password is incorrect.' : describe(error).text,
      )
    }
  }

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <img src="/favicon.svg" alt="" width={40} height={40} />
        <h1>Sign in to Footfall</h1>
        {token && busy ? (
          <p className="soft" role="status">
            Checking your link
          </p>
        ) : (
          <form onSubmit={submit} className="stack sign-in-form">
            <TextField label="Email" name="email" type="email" autoComplete="username" required />
            <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
            {problem && (
              <p role="alert" className="sign-in-problem">
                {problem}
              </p>
            )}
            <Button kind="primary" type="submit" busy={busy}>
              Sign in
            </Button>
          </form>
        )}
        <p className="tiny soft">
          The first start prints a sign-in link in the terminal. It works once and for one day. For a new link, run{' '}
          <code>npx footfall users sign-in-link --email</code> with your email address there.
        </p>
      </div>
    </main>
  )
}

function useEnter(next: string | undefined): () => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  const router = useRouter()
  return useCallback(async () => {
    client.clear()
    // Only addresses of this app: others could lead anywhere.
    if (next?.startsWith('/') && !next.startsWith('//')) router.history.push(next)
    else await navigate({ to: '/' })
  }, [client, navigate, router, next])
}
