import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, COLLEAGUE, KEYS, OWNER, startTestService, type TestService } from '../support/service.ts'
import { sessionCookie } from '../support/session-cookie.ts'

describe('members and invitations', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service?.stop())

  const INVITES = '/api/organizations/@current/invites/'
  const MEMBERS = '/api/organizations/@current/members/'
  const invite = (body: unknown = {}, key: string = KEYS.all) => service.api(INVITES, { body, key })
  const join = (token: string, body: unknown) => service.api(`/api/signup/${token}/`, { key: null, body })
  const cookieOf = (answer: Answer) => ({ cookie: sessionCookie(answer) })
  const me = async (answer: Answer) =>
    (await service.api('/api/users/@me/', { key: null, headers: cookieOf(answer) })).body
  const uuidOf = async (email: string): Promise<string> =>
    (await service.api(MEMBERS)).body.results.find(({ user }: { user: { email: string } }) => user.email === email)?.id

  it('an invitation lets somebody new in, signed in, and works once', async () => {
    const made = await invite({ target_email: 'cem@example.com', level: 8 })
    expect(made).toMatchObject({ status: 201, body: { target_email: 'cem@example.com', level: 8 } })
    const { token, url, id, expires_at } = made.body
    expect(url).toBe(`${service.url}/join/${token}`)
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(2 * 86_400_000)
    const listed = await service.api(INVITES)
    expect(listed.body.results).toMatchObject([{ id, created_by: { email: OWNER.email } }])
    expect(listed.text).not.toContain(token)

    expect((await service.api(`/api/signup/${token}/`, { key: null })).body).toMatchObject({
      organization_name: 'Acme',
      target_email: 'cem@example.com',
      has_account: false,
    })
    const newcomer = { first_name: 'Cem', password: 'long enough', email: 'ignored@example.com' }
    expect(await join(token, { ...newcomer, password: 'short' })).toMatchObject({
      status: 400,
      body: { attr: 'password' },
    })
    const [one, two] = await Promise.all([join(token, newcomer), join(token, newcomer)])
    expect([one.status, two.status].toSorted()).not.toEqual([201, 201])
    const joined = one.status === 201 ? one : two
    expect(joined.status).toBe(201)
    expect(await me(joined)).toMatchObject({
      email: 'cem@example.com',
      first_name: 'Cem',
      organization: { name: 'Acme', membership_level: 8 },
    })
    expect((await join(token, newcomer)).status).toBe(404)
    expect((await service.api(`/api/signup/${token}/`, { key: null })).status).toBe(404)
    expect((await service.api(INVITES)).body.count).toBe(0)
  })

  it('an invitation without an address takes the one the newcomer gives', async () => {
    const { token } = (await invite()).body
    expect(await join(token, { password: 'long enough' })).toMatchObject({ status: 400, body: { attr: 'email' } })
    const joined = await join(token, { email: 'dana@example.com', password: 'long enough' })
    expect(await me(joined)).toMatchObject({ email: 'dana@example.com', organization: { membership_level: 1 } })
  })

  it("opens nobody else's account", async () => {
    const { token } = (await invite()).body
    const taken = await join(token, { email: OWNER.email, password: 'a guess of mine' })
    expect(taken).toMatchObject({ status: 400, body: { attr: 'password' } })
    expect(taken.headers.get('set-cookie')).toBeNull()
    expect(await invite({ target_email: COLLEAGUE.email.toUpperCase() })).toMatchObject({
      status: 400,
      body: { attr: 'target_email' },
    })
  })

  it('is replaced by the next one for the same address', async () => {
    const first = (await invite({ target_email: 'finn@example.com' })).body
    const second = (await invite({ target_email: 'Finn@example.com' })).body
    expect((await join(first.token, { password: 'long enough' })).status).toBe(404)
    expect((await service.api(`${INVITES}${second.id}/`, { method: 'DELETE' })).status).toBe(204)
  })

  it('is withdrawn, and then works no more', async () => {
    const { token, id } = (await invite()).body
    expect((await service.api(`${INVITES}${id}/`, { method: 'DELETE', key: KEYS.colleague })).status).toBe(403)
    expect((await service.api(`${INVITES}${id}/`, { method: 'DELETE' })).status).toBe(204)
    expect((await service.api(`${INVITES}nonsense/`, { method: 'DELETE' })).status).toBe(404)
    expect((await join(token, { email: 'eve@example.com', password: 'long enough' })).status).toBe(404)
  })

  it('members may not invite, and nobody gives more than they have', async () => {
    expect((await invite({}, KEYS.colleague)).status).toBe(403)
    const colleague = await uuidOf(COLLEAGUE.email)
    const raised = await service.api(`${MEMBERS}${colleague}/`, { method: 'PATCH', body: { level: 8 } })
    expect(raised).toMatchObject({ status: 200, body: { level: 8 } })
    expect((await invite({ level: 15 }, KEYS.colleague)).status).toBe(403)
    expect((await invite({ level: 8 }, KEYS.colleague)).status).toBe(201)
    expect(await service.api(`${MEMBERS}${colleague}/`, { method: 'PATCH', body: { level: 3 } })).toMatchObject({
      status: 400,
      body: { attr: 'level' },
    })
  })

  it('whoever is removed sees nothing more and is signed out; the last owner stays', async () => {
    const cem = await service.api('/api/login/', {
      key: null,
      body: { email: 'cem@example.com', password: 'long enough' },
    })
    expect((await service.api('events/', { key: null, headers: cookieOf(cem) })).status).toBe(200)
    const owner = await uuidOf(OWNER.email)
    expect(await service.api(`${MEMBERS}${owner}/`, { method: 'DELETE' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('last owner') },
    })
    expect((await service.api(`${MEMBERS}${await uuidOf('cem@example.com')}/`, { method: 'DELETE' })).status).toBe(204)
    expect((await service.api('events/', { key: null, headers: cookieOf(cem) })).status).toBe(401)
    expect((await service.api(`${MEMBERS}@me/`, { method: 'DELETE', key: KEYS.colleague })).status).toBe(204)
    expect((await service.api('events/', { key: KEYS.colleague })).status).toBe(403)
  })

  it('the e-mail one signs in with is changed with the password, and belongs to nobody else', async () => {
    const headers = {
      ...cookieOf(await service.api('/api/login/', { key: null, body: OWNER })),
      'x-requested-with': 'footfall',
    }
    const change = (body: unknown) => service.api('/api/users/@me/email/', { key: null, headers, body })
    const current_password = OWNER.password
    expect((await change({ email: 'ada@example.com' })).body.attr).toBe('current_password')
    expect((await change({ email: 'dana@example.com', current_password })).body.attr).toBe('email')
    expect((await change({ email: 'ada@example.com', current_password })).status).toBe(200)
    const again = { email: 'ada@example.com', password: OWNER.password }
    expect((await service.api('/api/login/', { key: null, body: again })).status).toBe(200)
  })

  it('tells how the service is', async () => {
    const { body } = await service.api('/api/instance_status/')
    expect(body.findings.map(({ ok }: { ok: boolean }) => ok)).toEqual(body.findings.map(() => true))
    expect(body.status).toMatchObject({ pid: service.pid, log: { writable: true }, pipeline: { running: true } })
    expect((await service.api('/api/instance_status/', { key: null })).status).toBe(401)
  })
})
