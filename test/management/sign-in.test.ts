import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, COLLEAGUE, KEYS, OWNER, startTestService, type TestService } from '../support/service.ts'
import { sessionCookie } from '../support/session-cookie.ts'

describe('signing in in a browser', () => {
  let service: TestService
  beforeAll(async () => {
    // Tests speak from many addresses, as a proxy that is trusted tells them.
    service = await startTestService({ env: { FOOTFALL_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  afterAll(() => service?.stop())

  const browser = { 'x-requested-with': 'footfall' }
  const login = (body: unknown) => service.api('/api/login/', { key: null, body })
  const signIn = async (who: unknown = OWNER) => ({ cookie: sessionCookie(await login(who)), ...browser })
  const me = (headers: Record<string, string>) => service.api('/api/users/@me/', { key: null, headers })

  it('gives a cookie that scripts and other sites cannot use', async () => {
    const answer = await login(OWNER)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(
      /^footfall_session=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
    const mine = await me({ cookie: sessionCookie(answer) })
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

  it('ends every session when the password changes, kills sign-in links, and gives this browser a new session', async () => {
    const [here, there] = [await signIn(COLLEAGUE), await signIn(COLLEAGUE)]
    const { stdout } = await service.cli('users', 'sign-in-link', '--email', COLLEAGUE.email, '--json')
    const change = (body: unknown) => service.api('/api/users/@me/password/', { key: null, headers: here, body })
    expect(await change({ current_password: 'wrong', password: 'long enough' })).toMatchObject({
      status: 400,
      body: { attr: 'current_password' },
    })
    expect(await change({ current_password: COLLEAGUE.password, password: 'short' })).toMatchObject({
      status: 400,
      body: { attr: 'password' },
    })
    expect(await change({ current_password: COLLEAGUE.password, password: 'P@ssw0rd2024' })).toMatchObject({
      status: 400,
      body: { attr: 'password', detail: expect.stringContaining('tried first') },
    })
    const changed = await change({ current_password: COLLEAGUE.password, password: 'long enough' })
    expect(changed.status).toBe(200)
    expect((await me({ cookie: sessionCookie(changed) })).status).toBe(200)
    expect((await me(here)).status).toBe(401)
    expect((await me(there)).status).toBe(401)
    const link = await service.api('/api/login/link', { key: null, body: { token: JSON.parse(stdout).token } })
    expect(link.status).toBe(401)
    expect((await login({ ...COLLEAGUE, password: 'long enough' })).status).toBe(200)
  })

  it('makes whoever guesses wait, and says how long', async () => {
    const guess = () => login({ email: 'guessed@example.com', password: 'wrong' })
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(401)
    const answer = await guess()
    expect(answer).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'throttled' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  const from = (address: string, body: unknown) =>
    service.api('/api/login/', { key: null, body, headers: { 'x-forwarded-for': address } })
  const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length

  it('counts guesses that come at once like guesses that come one after the other', async () => {
    expect((await from('203.0.113.10', OWNER)).status).toBe(200)
    const wrong = { email: OWNER.email, password: 'not this one' }
    const one = await Promise.all(Array.from({ length: 60 }, () => from('203.0.113.9', wrong)))
    expect([count(one, 401), count(one, 429)]).toEqual([10, 50])
    const many = await Promise.all(
      Array.from({ length: 60 }, (_, n) => from('203.0.113.10', { ...wrong, email: `${n}@example.com` })),
    )
    expect([count(many, 401), count(many, 429)]).toEqual([50, 10])
    // The right password is refused where it was guessed, but not elsewhere, nor where its user signed in before. A link always works.
    expect((await from('203.0.113.9', OWNER)).status).toBe(429)
    expect((await from('203.0.113.10', COLLEAGUE)).status).toBe(429)
    expect((await from('203.0.113.10', OWNER)).status).toBe(200)
    expect((await from('198.51.100.1', OWNER)).status).toBe(200)
    const { stdout } = await service.cli('users', 'sign-in-link', '--email', OWNER.email, '--json')
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const body = { token: JSON.parse(stdout).token }
    expect((await service.api('/api/login/link', { key: null, body, headers })).status).toBe(200)
  })

  it('shows where somebody is signed in, and ends it from elsewhere', async () => {
    const sessions = (headers: Record<string, string>, path = '', method = 'GET') =>
      service.api(`/api/users/@me/sessions/${path}`, { key: null, headers, method })
    const headers = { 'user-agent': 'Lynx', 'x-forwarded-for': '198.51.100.1' }
    const phone = {
      cookie: sessionCookie(await service.api('/api/login/', { key: null, body: OWNER, headers })),
      ...browser,
    }
    const laptop = await signInFrom('198.51.100.1')
    const { results } = (await sessions(laptop)).body
    expect(results[0]).toMatchObject({ is_current: true })
    const other = results.find(({ user_agent }: { user_agent: string }) => user_agent === 'Lynx')
    expect(other).toMatchObject({ is_current: false, address: '198.51.100.1' })
    expect(JSON.stringify(results)).not.toContain(phone.cookie.split('=')[1])
    expect((await sessions(laptop, `${other.id}/`, 'DELETE')).status).toBe(204)
    expect((await me(phone)).status).toBe(401)
    expect((await sessions(laptop, `${other.id}/`, 'DELETE')).status).toBe(404)
    const tablet = await signInFrom('198.51.100.1')
    expect((await sessions(laptop, '', 'DELETE')).body.ended).toBeGreaterThan(0)
    expect([(await me(tablet)).status, (await me(laptop)).status]).toEqual([401, 200])
  })

  const signInFrom = async (address: string) => ({ cookie: sessionCookie(await from(address, OWNER)), ...browser })

  it('does not let a key act as a browser', async () => {
    expect((await service.api('/api/logout/', { method: 'POST', key: KEYS.all })).status).toBe(403)
    expect((await service.api('/api/users/@me/password/', { body: { password: 'x'.repeat(9) } })).status).toBe(403)
  })
})
