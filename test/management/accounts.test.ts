import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLLEAGUE, KEYS, OWNER, PROVISION, startTestService, type TestService, TOKENS } from '../support/service.ts'
import { sessionCookie } from '../support/session-cookie.ts'

const ENV = { FOOTFALL_RATE_LIMITS: 'on', FOOTFALL_TRUSTED_PROXIES: '127.0.0.1' }

describe('keys, projects and organisations', () => {
  let service: TestService
  let session: Record<string, string>
  beforeAll(async () => {
    service = await startTestService({ env: ENV })
    session = await signIn(OWNER)
  })
  afterAll(() => service?.stop())

  const signIn = async (who: { email: string; password: string }) => {
    const { headers } = await service.api('/api/login/', { key: null, body: who })
    return { cookie: sessionCookie({ headers }), 'x-requested-with': 'footfall' }
  }
  const asOwner = (path: string, ask: { method?: string; body?: unknown } = {}) =>
    service.api(path, { ...ask, key: null, headers: session })
  const NEW = { label: 'mine', scopes: ['person:read'], scoped_teams: [], scoped_organizations: [] }

  describe('personal API keys', () => {
    it('are shown once, work at once, roll, and are gone when deleted', async () => {
      const created = await asOwner('/api/personal_api_keys/', { body: NEW })
      expect(created).toMatchObject({ status: 201, body: { label: 'mine', scopes: ['person:read'], user_id: 1 } })
      const { id, value } = created.body
      expect(value).toMatch(/^phx_\w{43}$/)
      const at = `/api/personal_api_keys/${id}/`
      const works = async (key: string) => (await service.api('/api/personal_api_keys/@current/', { key })).status
      expect(await works(value)).toBe(200)
      expect((await asOwner('/api/personal_api_keys/')).body[0]).toMatchObject({ id, value: null })

      const changed = await asOwner(at, { method: 'PATCH', body: { label: 'renamed', scoped_teams: [2] } })
      expect(changed.body).toMatchObject({ label: 'renamed', scoped_teams: [2], scopes: ['person:read'], value: null })

      const rolled = await asOwner(`${at}roll/`, { method: 'POST' })
      expect(rolled.body.value).not.toBe(value)
      expect([await works(value), await works(rolled.body.value)]).toEqual([401, 200])

      expect((await asOwner(at, { method: 'DELETE' })).status).toBe(204)
      expect(await works(rolled.body.value)).toBe(401)
      expect((await asOwner(at)).status).toBe(404)
    })

    it.each([
      ['an unknown scope', { ...NEW, scopes: ['foo'] }, 'scopes', 'Invalid scope: foo'],
      ['no scope', { ...NEW, scopes: [] }, 'scopes', /at least one/],
      ['no label', { scopes: ['*'] }, 'label', 'This field is required.'],
      ['a blank label', { ...NEW, label: ' ' }, 'label', /blank|fewer|small/i],
      ['a long label', { ...NEW, label: 'x'.repeat(41) }, 'label', /40 characters/],
      ['a project out of reach', { ...NEW, scoped_teams: [77] }, 'scoped_teams', /access/],
      [
        'an organisation out of reach',
        { ...NEW, scoped_organizations: [crypto.randomUUID()] },
        'scoped_organizations',
        /belong/,
      ],
    ])('refuse %s', async (_, body, attr, detail) => {
      const answer = await asOwner('/api/personal_api_keys/', { body })
      expect(answer).toMatchObject({
        status: 400,
        body: { type: 'validation_error', attr, detail: expect.stringMatching(detail) },
      })
    })

    it('cannot be made, read or changed with a key', async () => {
      for (const [path, method] of [
        ['/api/personal_api_keys/', 'POST'],
        ['/api/personal_api_keys/', 'GET'],
        ['/api/personal_api_keys/x/', 'PATCH'],
        ['/api/personal_api_keys/x/roll/', 'POST'],
      ] as const)
        expect((await service.api(path, { method })).status).toBe(403)
    })

    it('belong to one user', async () => {
      const { id } = (await asOwner('/api/personal_api_keys/')).body[0]
      const headers = await signIn(COLLEAGUE)
      expect((await service.api(`/api/personal_api_keys/${id}/`, { key: null, headers })).status).toBe(404)
    })

    it('end by themselves, and work from the addresses they are bound to', async () => {
      const at = (address: string, key: string) =>
        service.api('/api/personal_api_keys/@current/', { key, headers: { 'x-forwarded-for': address } })
      const make = async (more: object) =>
        (await asOwner('/api/personal_api_keys/', { body: { ...NEW, ...more } })).body
      const bound = await make({ allowed_addresses: ['203.0.113.0/24', '2001:db8::1'] })
      expect(bound.allowed_addresses).toEqual(['203.0.113.0/24', '2001:db8::1'])
      expect((await at('203.0.113.77', bound.value)).status).toBe(200)
      expect((await at('2001:db8::1', bound.value)).status).toBe(200)
      expect(await at('203.0.114.1', bound.value)).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
      await asOwner(`/api/personal_api_keys/${bound.id}/`, { method: 'PATCH', body: { allowed_addresses: [] } })
      expect((await at('203.0.114.1', bound.value)).status).toBe(200)

      const later = new Date(Date.now() + 3_600_000).toISOString()
      const long = await make({ expires_at: later })
      expect(long.expires_at).toBe(later)
      expect((await at('203.0.113.1', long.value)).status).toBe(200)
      const short = await make({ expires_at: new Date(Date.now() + 5_000).toISOString() })
      await service.waitFor(async () => (await at('203.0.113.1', short.value)).status === 401, 'the end of the key')
      for (const wrong of [{ allowed_addresses: ['somewhere'] }, { expires_at: '2020-01-01T00:00:00Z' }])
        expect((await asOwner('/api/personal_api_keys/', { body: { ...NEW, ...wrong } })).status).toBe(400)
      for (const { id } of [bound, long, short]) await asOwner(`/api/personal_api_keys/${id}/`, { method: 'DELETE' })
    })

    it('end the live streams they opened when they are deleted', async () => {
      const { id, value } = (await asOwner('/api/personal_api_keys/', { body: { ...NEW, scopes: ['query:read'] } }))
        .body
      const stream = await fetch(`${service.url}/api/environments/1/live/`, {
        headers: { authorization: `Bearer ${value}` },
      })
      expect(stream.status).toBe(200)
      const ended = stream.text()
      await asOwner(`/api/personal_api_keys/${id}/`, { method: 'DELETE' })
      expect(await ended).toContain('event: hello')
    })

    it('are at most ten a user', async () => {
      const headers = await signIn(COLLEAGUE)
      const add = () => service.api('/api/personal_api_keys/', { key: null, headers, body: NEW })
      for (let i = 1; i < 10; i++) expect((await add()).status).toBe(201)
      expect(await add()).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    })
  })

  describe('projects', () => {
    it('are listed, read, created and changed', async () => {
      expect((await service.api('/api/projects/')).body).toMatchObject({
        count: 2,
        next: null,
        results: [{ id: 1, api_token: 'phc_test_one', timezone: 'UTC' }, { id: 2 }],
      })
      expect((await service.api('/api/projects?limit=1')).body.next).toBe(
        `${service.url}/api/projects?limit=1&offset=1`,
      )
      const created = await service.api('/api/projects/', { body: { name: 'Three', timezone: 'Europe/Berlin' } })
      expect(created).toMatchObject({ status: 201, body: { name: 'Three', timezone: 'Europe/Berlin' } })
      const { id, api_token } = created.body
      await service.capture({ event: 'hello', distinct_id: 'x' }, api_token)
      await service.waitFor(async () => (await asOwner(`/api/projects/${id}/`)).body.ingested_event, 'its event')

      const changes = {
        name: 'Third',
        anonymize_ips: true,
        week_start_day: 1,
        person_display_name_properties: ['nick'],
        test_account_filters: [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }],
        data_retention_days: 365,
        autocapture_opt_out: true,
        session_recording_opt_in: false,
      }
      const changed = await service.api(`/api/environments/${id}/`, {
        method: 'PATCH',
        body: { ...changes, api_token: 'mine now', no_such_setting: 1 },
      })
      expect(changed).toMatchObject({ status: 200, body: { ...changes, api_token, id } })
      expect((await service.api(`/api/projects/${id}/`)).body).toMatchObject(changes)
    })

    it.each([
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
      [{ name: '' }, 'name'],
      [{ name: null }, 'name'],
      [{ anonymize_ips: 'perhaps' }, 'anonymize_ips'],
      [{ test_account_filters: {} }, 'test_account_filters'],
      [{ week_start_day: 3 }, 'week_start_day'],
    ])('refuse %j', async (body, attr) =>
      expect(await service.api('/api/projects/1/', { method: 'PATCH', body })).toMatchObject({
        status: 400,
        body: { attr },
      }),
    )

    it('need scopes, and are refused to keys of other projects', async () => {
      const seen = async (key: string) =>
        (await service.api('/api/projects/', { key })).body.results.map(({ id }: { id: number }) => id)
      expect(await seen(KEYS.personsRead)).toEqual(await seen(KEYS.all))
      expect(await seen(KEYS.projectTwo)).toEqual([2])
      expect((await service.api('/api/projects/1/', { key: KEYS.personsRead })).body.detail).toBe(
        "API key missing required scope 'project:read'",
      )
      expect((await service.api('/api/organizations/', { key: KEYS.projectTwo })).body.detail).toBe(
        'API keys with scoped projects are only supported on project-based endpoints.',
      )
      expect((await service.api('/api/projects/1/', { key: KEYS.projectTwo })).body.detail).toBe(
        'API key does not have access to the requested project: ID 1.',
      )
      expect((await service.api('/api/projects/2/', { key: KEYS.projectTwo })).body.name).toBe('Two')
      expect((await service.api('/api/projects/@current/', { key: KEYS.projectTwo })).body.id).toBe(2)
      expect((await service.api('/api/projects/77/')).body).toMatchObject({
        code: 'not_found',
        detail: 'Project not found.',
      })
      expect((await service.api('/api/projects/one/')).status).toBe(404)
    })

    it('lose data by admins only, who are asked again in a browser', async () => {
      const retention = { data_retention_days: 1 }
      const set = (headers: Record<string, string>, body: object) =>
        service.api('/api/projects/2/', { method: 'PATCH', key: null, headers, body })
      const member = await signIn(COLLEAGUE)
      for (const refused of [
        await set(member, retention),
        await service.api('/api/projects/2/', { method: 'PATCH', key: KEYS.colleague, body: { anonymize_ips: true } }),
      ])
        expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
      expect((await set(member, { timezone: 'Europe/Berlin' })).status).toBe(200)
      // What is sent along unchanged is no change.
      expect((await set(member, { name: 'Two', data_retention_days: null })).status).toBe(200)

      const attrs = []
      for (const confirmation of [
        {},
        { confirm: 'One' },
        { confirm: 'Two' },
        { confirm: 'Two', current_password: 'x' },
      ])
        attrs.push((await set(session, { ...retention, ...confirmation })).body.attr)
      expect(attrs).toEqual(['confirm', 'confirm', 'current_password', 'current_password'])
      const sure = { confirm: 'Two', current_password: OWNER.password }
      expect((await set(session, { data_retention_days: 400, ...sure })).body.data_retention_days).toBe(400)
      expect((await set(session, { data_retention_days: 500 })).status).toBe(200)
      const byKey = await service.api('/api/projects/2/', { method: 'PATCH', body: { data_retention_days: 365 } })
      expect(byKey.body.data_retention_days).toBe(365)
    })

    it('say what a shorter retention would delete', async () => {
      const now = Date.now()
      const at = (days: number) => new Date(now - days * 86_400_000).toISOString()
      await service.capture([
        { event: 'old', distinct_id: 'a', timestamp: at(40) },
        { event: 'old', distinct_id: 'a', timestamp: at(30) },
        { event: 'young', distinct_id: 'a' },
      ])
      const preview = (query: string) => service.api(`/api/projects/1/retention_preview/${query}`)
      const found = await service.waitFor(async () => {
        const { body } = await asOwner('/api/projects/1/retention_preview/?data_retention_days=7')
        return body.events.count === 2 && body
      })
      expect(found.recordings).toBeNull()
      expect([found.events.from.slice(0, 10), found.events.to.slice(0, 10)]).toEqual(
        [at(40), at(30)].map((time) => time.slice(0, 10)),
      )
      expect((await preview('?data_retention_days=35&recording_retention_days=1')).body).toMatchObject({
        events: { count: 1 },
        recordings: { count: 0, from: null, to: null },
      })
      expect((await preview('?data_retention_days=none')).status).toBe(400)
    })

    it('are deleted by admins, with everything in them', async () => {
      const made = (await service.api('/api/projects/', { body: { name: 'Short-lived' } })).body
      const path = `/api/projects/${made.id}/`
      const events = () => service.api(`/api/projects/${made.id}/events/`)
      await service.capture({ event: 'seen', distinct_id: 'somebody' }, made.api_token)
      await service.waitFor(async () => (await events()).body.results?.length === 1)
      await service.api(`/api/projects/${made.id}/insights/`, { body: { name: 'Gone with it' } })
      const remove = (ask: object) => service.api(path, { method: 'DELETE', ...ask })
      expect((await remove({ key: KEYS.colleague })).status).toBe(403)
      expect((await remove({ key: null, headers: session, body: { confirm: 'Long-lived' } })).body.attr).toBe('confirm')
      const sure = { confirm: 'Short-lived', current_password: OWNER.password }
      expect((await remove({ key: null, headers: session, body: sure })).status).toBe(204)
      expect((await service.api(path)).status).toBe(404)
      expect((await events()).status).toBe(404)
      const listed = (await service.api('/api/projects/?limit=100')).body.results
      expect(listed.map(({ id }: { id: number }) => id)).not.toContain(made.id)
      const sent = { api_key: made.api_token, event: 'x', distinct_id: 'y' }
      expect((await service.api('/i/v0/e/', { key: null, body: sent })).status).toBe(401)
      // Someone who has one project only keeps it.
      expect((await service.api('/api/projects/2/', { method: 'DELETE', key: KEYS.projectTwo })).status).toBe(400)
    })

    it('get a new API key, and the old one is accepted for a while', async () => {
      const rotate = (body: object, key: string = KEYS.all) =>
        service.api('/api/projects/2/reset_token/', { method: 'PATCH', body, key })
      const send = async (api_key: string) =>
        (await service.api('/i/v0/e/', { key: null, body: { api_key, event: 'x', distinct_id: 'y' } })).status
      expect((await rotate({}, KEYS.colleague)).status).toBe(403)
      const { api_token, accepted_tokens } = (await rotate({ grace_hours: 1 })).body
      expect(accepted_tokens).toMatchObject([{ api_token: TOKENS.two }])
      expect([await send(api_token), await send(TOKENS.two)]).toEqual([200, 200])
      expect((await service.api(`/api/projects/2/?token=${TOKENS.two}`)).body.api_token).toBe(api_token)
      const ended = await service.api('/api/projects/2/accepted_tokens/', { method: 'DELETE' })
      expect(ended.status).toBe(204)
      expect([await send(api_token), await send(TOKENS.two)]).toEqual([200, 401])
      // Else the project changes under the tests that follow.
      await service.waitFor(async () => (await asOwner('/api/projects/2/')).body.ingested_event, 'the first event')
    })

    it('are found, made, changed and deleted by organisation too', async () => {
      const [{ id: organization, slug }] = (await service.api('/api/organizations/')).body.results
      const all = (await service.api('/api/projects/')).body
      for (const which of ['@current', organization, slug])
        for (const slash of ['', '/'])
          expect((await service.api(`/api/organizations/${which}/projects${slash}`)).body).toEqual(all)
      const at = '/api/organizations/@current/projects/'
      expect((await service.api(`${at}?limit=1`)).body.next).toBe(`${service.url}${at}?limit=1&offset=1`)
      const made = await service.api(at, { body: { name: 'Of the organisation', timezone: 'Europe/Berlin' } })
      expect(made).toMatchObject({ status: 201, body: { organization, timezone: 'Europe/Berlin' } })
      const one = `${at}${made.body.id}/`
      expect((await service.api(one)).body).toEqual(made.body)
      expect((await service.api(`/api/projects/${made.body.id}/`)).body).toEqual(made.body)
      const renamed = await service.api(one, { method: 'PATCH', body: { name: 'Renamed' } })
      expect(renamed.body).toMatchObject({ name: 'Renamed', timezone: 'Europe/Berlin' })
      expect((await service.api(at, { key: KEYS.colleague, body: { name: 'Mine' } })).status).toBe(403)
      expect((await service.api(at, { key: KEYS.personsRead })).status).toBe(403)
      expect((await service.api(`${at}77/`)).body.detail).toBe('Project not found.')
      expect((await service.api('/api/organizations/others/projects/')).body.detail).toBe('Organization not found.')
      const remove = (ask: object) => service.api(one, { method: 'DELETE', ...ask })
      expect((await remove({ key: KEYS.colleague })).status).toBe(403)
      expect((await remove({ key: null, headers: session, body: { confirm: 'Other' } })).body.attr).toBe('confirm')
      expect((await remove({})).status).toBe(204)
      expect((await service.api(one)).status).toBe(404)
      expect((await service.api(`/api/projects/${made.body.id}/`)).status).toBe(404)
    })

    it('are created by owners and admins only', async () =>
      expect((await service.api('/api/projects/', { key: KEYS.colleague, body: { name: 'Mine' } })).status).toBe(403))
  })

  it('lists the members of the organisation', async () => {
    const { body } = await service.api('/api/organizations/@current/members/')
    expect(body).toMatchObject({ count: 2, results: [{ user: { email: OWNER.email }, level: 15 }, { level: 1 }] })
    expect(JSON.stringify(body)).not.toContain('scrypt')
  })

  describe('the command line', () => {
    const create = (...more: string[]) =>
      service.cli('keys', 'create', '--email', OWNER.email, '--label', 'cli', '--json', ...more)

    it('makes projects, and keys that see them', async () => {
      const project = JSON.parse((await service.cli('projects', 'create', '--name', 'Made', '--json')).stdout)
      expect(project).toMatchObject({ name: 'Made', api_token: expect.stringMatching(/^phc_/), timezone: 'UTC' })
      const { stdout } = await create('--scopes', 'person:read,insight:read', '--project', String(project.id))
      const { value: key } = JSON.parse(stdout)
      expect((await service.api(`/api/environments/${project.id}/persons/`, { key })).status).toBe(200)
      expect((await service.api('persons/', { key })).status).toBe(403)
      const sent = { api_key: project.api_token, event: 'x', distinct_id: 'y' }
      expect((await service.api('/i/v0/e/', { key: null, body: sent })).status).toBe(200)
    })

    it.each([
      [['--scopes', '*', '--project', '999'], 1, 'There is no project 999.'],
      [['--scopes', 'person:fly'], 1, '"person:fly" is not a scope'],
      [['--scopes', '*', '--email', 'nobody@example.com'], 1, 'no user with the e-mail nobody@example.com'],
      [[], 2, '--scopes is needed'],
    ])('makes no key of %j', async (args, code, words) =>
      expect(await create(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) }),
    )
  })

  it('tells paths and processes to those who run the service only', async () => {
    expect((await service.api('/api/instance_status/')).status).toBe(200)
    expect((await service.api('/api/instance_status/', { key: KEYS.colleague })).status).toBe(403)
  })

  describe('the audit log', () => {
    const AUDIT = '/api/organizations/@current/audit_log/'
    const entries = async (query = ''): Promise<Record<string, unknown>[]> =>
      (await service.api(`${AUDIT}?limit=1000&${query}`)).body.results

    it('says who did what, when and from where', async () => {
      await service.api('/api/login/', { key: null, body: { email: OWNER.email, password: 'wrong' } })
      await service.api('/api/login/', { key: null, body: { email: 'stranger@example.com', password: 'wrong' } })
      await service.api('/api/organizations/@current/invites/', { body: { target_email: 'new@example.com' } })
      await service.api('persons/?format=csv')
      const made = await asOwner('/api/personal_api_keys/', { body: NEW })
      await asOwner(`/api/personal_api_keys/${made.body.id}/`, { method: 'DELETE' })
      await service.api('/api/projects/2/', { method: 'PATCH', body: { name: 'Two', recording_retention_days: 40 } })
      await service.api('/api/projects/2/reset_token/', { method: 'PATCH', body: {} })
      const said = await entries()
      const found = (activity: string, scope: string) =>
        said.find((entry) => entry.activity === activity && entry.scope === scope)
      expect(said.filter(({ activity }) => activity === 'signed_in').at(-1)).toMatchObject({
        via: 'sign-in',
        user: { email: OWNER.email },
      })
      expect(said.filter(({ activity }) => activity === 'sign_in_failed').slice(0, 2)).toMatchObject([
        { user: { email: 'stranger@example.com', id: null }, address: '127.0.0.1' },
        { user: { email: OWNER.email, first_name: 'Ada' } },
      ])
      expect(found('created', 'PersonalAPIKey')).toMatchObject({ detail: { scopes: expect.any(Array) } })
      expect(found('deleted', 'PersonalAPIKey')).toMatchObject({ via: 'session' })
      expect(found('created', 'OrganizationInvite')).toMatchObject({
        via: 'key',
        key: 'everything',
        detail: { target_email: 'new@example.com' },
      })
      expect(said.find(({ activity, project_id }) => activity === 'updated' && project_id === 2)).toMatchObject({
        detail: { changes: [{ field: 'recording_retention_days', before: 30, after: 40 }] },
      })
      expect(found('token_rotated', 'Project')).toMatchObject({ item_id: '2' })
      expect(found('exported', 'Export')).toMatchObject({ item_id: '/api/environments/1/persons/' })
      const text = JSON.stringify(said)
      expect(text).not.toMatch(/phx_\w{10}|scrypt|correct horse/)
      expect((await entries('scope=Export')).every(({ scope }) => scope === 'Export')).toBe(true)
    })

    it('names what the command line took out and brought in', async () => {
      for (const command of [['export'], ['import', '/dev/null'], ['backup', path.join(service.data, '..', 'saved')]]) {
        const { code, stderr } = await service.cli(...command)
        expect(code, stderr).toBe(0)
      }
      const said = await entries()
      const ofCommands = said.filter(({ activity }) => /^(exported|events_imported|backed_up)$/.test(String(activity)))
      expect(ofCommands.slice(0, 3)).toMatchObject([
        { activity: 'backed_up', scope: 'Export', via: 'command line', project_id: null },
        { activity: 'events_imported', scope: 'Project', via: 'command line', project_id: 1 },
        { activity: 'exported', scope: 'Export', via: 'command line', project_id: 1 },
      ])
    })

    it('is for admins, and also a file', async () => {
      expect((await service.api(AUDIT, { key: KEYS.colleague })).status).toBe(403)
      expect((await service.api(AUDIT, { key: KEYS.personsRead })).status).toBe(403)
      const { text, headers } = await service.api(`${AUDIT}?format=csv`)
      expect(headers.get('content-type')).toContain('text/csv')
      expect(text.split('\r\n')[0]).toMatch(/^activity,address,created_at,/)
    })
  })

  it('limits how often a key may ask, and says when to come again', async () => {
    const asked = await Promise.all(
      Array.from({ length: 500 }, () => service.api('/api/personal_api_keys/@current/', { key: KEYS.playlists })),
    )
    const refused = asked.filter(({ status }) => status === 429)
    expect(refused.length).toBe(20)
    expect(refused[0]?.body).toMatchObject({ type: 'throttled_error', code: 'throttled' })
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await service.api('/api/personal_api_keys/@current/', { key: KEYS.insightsRead })).status).toBe(200)
  })

  it('a key of one organisation acts in no other, and a file that names a replaced API key still starts', async () => {
    await service.terminate()
    const [owner] = PROVISION.users
    const other = {
      organization: { name: 'Other' },
      projects: [{ id: 50, name: 'Elsewhere', api_token: 'phc_test_other' }],
      users: [{ ...owner, personal_api_keys: [] }],
    }
    service = await startTestService({ data: service.data, provision: other, env: ENV })
    const headers = await signIn(OWNER)
    const { body } = await service.api('/api/organizations/', { key: null, headers })
    const [acme, elsewhere] = body.results.map(({ id }: { id: string }) => id)
    const made = await service.api('/api/personal_api_keys/', {
      key: null,
      headers,
      body: { label: 'elsewhere', scopes: ['*'], scoped_organizations: [elsewhere] },
    })
    const key = made.body.value
    const create = (organization?: string) =>
      service.api('/api/projects/', { key, body: { name: 'Mine', ...(organization ? { organization } : {}) } })
    expect(await create(acme)).toMatchObject({ status: 400, body: { attr: 'organization' } })
    expect((await create()).body.organization).toBe(elsewhere)
    expect((await service.api('/api/users/@me/', { key })).text).not.toContain('Acme')
    const entries = await service.api(`/api/organizations/${acme}/audit_log/`, { key })
    expect(entries.status).toBe(404)

    await service.terminate()
    service = await startTestService({ data: service.data, env: ENV })
    expect((await service.api('/api/projects/2/')).body.api_token).not.toBe(TOKENS.two)
  })
})
