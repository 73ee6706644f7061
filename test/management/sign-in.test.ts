import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, COLLEAGUE, KEYS, OWNER, startTestService, type TestService } from '../support/service.ts'

describe('signing in in a browser', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const browser = { 'x-requested-with': 'footfall' }
  const login = (body: unknown) => service.api('/api/login/', { key: null, body })
  const cookieOf = (answer: Answer) => (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
  const signIn = async (who: unknown = OWNER) => ({ cookie: cookieOf(await login(who)), ...browser })
  const me = (headers: Record<string, string>) => service.api('/api/users/@me/', { key: null, headers })

  it('gives a cookie that scripts and other sites cannot use', async () => {
    const answer = await login(OWNER)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(
      /^footfall_session=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
    const mine = await me({ cookie: cookieOf(answer) })
    expect(mine.body).toMatchObject({
      email: OWNER.email,
      first_name: 'Ada',
      has_password: true,
      organization: { name: 'Acme', membership_level: 15, teams: [{ id: 1 }, { id: 2 }] },
    })
    expect(mine.text).not.toContain('scrypt')
  })

  it('lets a session do what its user may, in every project of the user', async () => {
    const headers = await signIn()
    expect((await service.api('events/', { key: null, headers })).status).toBe(200)
    expect((await service.api('/api/projects/', { key: null, headers })).body.count).toBe(2)
  })

  it('refuses a change without the header other sites cannot send', async () => {
    const { cookie } = await signIn()
    const ask = { method: 'PATCH', key: null, body: { first_name: 'Eve' } }
    const forged = await service.api('/api/users/@me/', { ...ask, headers: { cookie } })
    expect(forged).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    const meant = await service.api('/api/users/@me/', {
      ...ask,
      body: { first_name: 'Augusta', hedgehog_config: { color: 'blue' }, email: 'ignored' },
      headers: { cookie, ...browser },
    })
    expect(meant.body).toMatchObject({
      first_name: 'Augusta',
      last_name: 'Owner',
      email: OWNER.email,
      hedgehog_config: { color: 'blue' },
    })
  })

  it('ends with signing out', async () => {
    const headers = await signIn()
    expect((await service.api('/api/logout/', { method: 'POST', key: null, headers })).status).toBe(204)
    expect((await me(headers)).body).toMatchObject({ type: 'authentication_error', code: 'not_authenticated' })
  })

  it.each([
    ['an unknown e-mail', { email: 'nobody@example.com', password: 'whatever it is' }, 401, null],
    ['a wrong password', { email: OWNER.email, password: 'not this one' }, 401, null],
    ['no password', { email: OWNER.email }, 400, 'password'],
    ['a number for a password', { email: OWNER.email, password: 1 }, 400, 'password'],
    ['a list', [], 400, null],
  ])('refuses %s', async (_, body, status, attr) => {
    const answer = await login(body)
    expect(answer).toMatchObject({ status, body: { attr } })
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it('refuses a body that is no JSON as such', async () =>
    expect(await login('{')).toMatchObject({ status: 400, body: { code: 'parse_error' } }))

  it('takes a sign-in link once', async () => {
    const { stdout } = await service.cli('users', 'sign-in-link', '--email', OWNER.email, '--json')
    const { token } = JSON.parse(stdout)
    const [one, two] = await Promise.all(
      [1, 2].map(() => service.api('/api/login/link', { key: null, body: { token } })),
    )
    expect([one?.status, two?.status].sort()).toEqual([200, 401])
  })

  it('ends every other session when the password changes', async () => {
    const [here, there] = [await signIn(COLLEAGUE), await signIn(COLLEAGUE)]
    const change = (body: unknown) => service.api('/api/users/@me/password/', { key: null, headers: here, body })
    expect(await change({ current_password: 'wrong', password: 'long enough' })).toMatchObject({
      status: 400,
      body: { attr: 'current_password' },
    })
    expect(await change({ current_password: COLLEAGUE.password, password: 'short' })).toMatchObject({
      status: 400,
      body: { attr: 'password' },
    })
    expect((await change({ current_password: COLLEAGUE.password, password: 'long enough' })).status).toBe(200)
    expect((await me(here)).status).toBe(200)
    expect((await me(there)).status).toBe(401)
    expect((await login({ ...COLLEAGUE, password: 'long enough' })).status).toBe(200)
  })

  it('makes whoever guesses wait, and says how long', async () => {
    const guess = () => login({ email: 'guessed@example.com', password: 'wrong' })
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(401)
    const answer = await guess()
    expect(answer).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'throttled' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('does not let a key act as a browser', async () => {
    expect((await service.api('/api/logout/', { method: 'POST', key: KEYS.all })).status).toBe(403)
    expect((await service.api('/api/users/@me/password/', { body: { password: 'x'.repeat(9) } })).status).toBe(403)
  })
})
