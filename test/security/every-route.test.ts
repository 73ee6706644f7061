import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fullSnapshot, meta, upload } from '../support/recordings.ts'
import { type Answer, KEYS, PROVISION, startTestService, type TestService } from '../support/service.ts'
import { sessionCookie } from '../support/session-cookie.ts'

/** The fences around every management endpoint, taken from the API's own description: one that is added tomorrow is tested tomorrow. */
interface Route {
  readonly method: string
  readonly path: string
  readonly scope: string | null
  readonly access: 'key or session' | 'session' | 'anyone'
  readonly takesFields?: boolean
}

/** A key of the owner that may do nothing any endpoint asks for. */
const POWERLESS = 'phx_test_powerless'
const SECRET = 'classified-7f3a'

const [owner, ...others] = PROVISION.users
const provision = {
  ...PROVISION,
  users: [
    {
      ...owner,
      personal_api_keys: [
        ...(owner?.personal_api_keys ?? []),
        { label: 'powerless', value: POWERLESS, scopes: ['webhook:read'] },
      ],
    },
    ...others,
  ],
}

let service: TestService
let routes: Route[]
beforeAll(async () => {
  service = await startTestService({ provision })
  routes = await describedRoutes()
})
afterAll(() => service?.stop())

async function describedRoutes(): Promise<Route[]> {
  const { paths } = (await service.api('/api/schema/', { key: null })).body as {
    paths: Record<string, Record<string, { 'x-scope'?: string; security: object[]; requestBody?: object }>>
  }
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { 'x-scope': scope = null, security, requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        scope,
        access: security.length === 0 ? 'anyone' : security.length === 1 ? 'session' : 'key or session',
        takesFields: requestBody !== undefined,
      })),
    )
}

const inProject = ({ path }: Route) => path.includes('{project_id}')
const needsCredentials = ({ access }: Route) => access !== 'anyone'
const fill = (path: string, ids: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? '1'))
const bodyFor = (method: string) => (['GET', 'HEAD', 'DELETE'].includes(method) ? {} : { body: {} })
const ask = ({ method, path }: Route, key: string | null, ids: Record<string, string> = { project_id: '1' }) =>
  service.api(fill(path, ids), { method, key, ...bodyFor(method) })

/** What each route did that should not have. */
async function offenders(among: readonly Route[], fine: (answer: Answer) => boolean, key: string | null) {
  const found: string[] = []
  for (const route of among) {
    const answer = await ask(route, key)
    if (!fine(answer)) found.push(`${route.method} ${route.path} -> ${answer.status} ${answer.text.slice(0, 100)}`)
  }
  return found
}

describe('every endpoint', () => {
  it('is open to all only where that is meant', () => {
    expect(routes.length).toBeGreaterThan(100)
    const open = routes.filter((route) => !needsCredentials(route)).map(({ method, path }) => `${method} ${path}`)
    expect(open.toSorted()).toEqual([
      'GET /api/docs/',
      'GET /api/schema/',
      'GET /api/shared/{token}/',
      'GET /api/shared/{token}/recordings/{session_recording_id}/',
      'GET /api/shared/{token}/recordings/{session_recording_id}/snapshots/',
      'GET /api/signup/{token}/',
      'POST /api/login/',
      'POST /api/login/link/',
      'POST /api/shared/{token}/web_analytics/',
      'POST /api/signup/{token}/',
    ])
  })

  it('refuses whoever brings no key, and whoever brings a wrong one', async () => {
    const guarded = routes.filter(needsCredentials)
    expect(
      await offenders(guarded, ({ status, body }) => status === 401 && body.code === 'not_authenticated', null),
    ).toEqual([])
    expect(
      await offenders(
        guarded,
        ({ status, body }) => status === 401 && body.code === 'authentication_failed',
        'phx_wrong',
      ),
    ).toEqual([])
  })

  it('says how to authenticate with every 401, and which methods there are with every 405', async () => {
    const silent: string[] = []
    for (const route of routes.filter(needsCredentials)) {
      const { headers } = await ask(route, null)
      if (headers.get('www-authenticate') !== 'Bearer realm="Footfall"') silent.push(`${route.method} ${route.path}`)
    }
    expect(silent).toEqual([])
    for (const path of new Set(routes.map(({ path }) => path))) {
      const served = routes.filter((route) => route.path === path).map(({ method }) => method)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (served.includes(method) || (method === 'HEAD' && served.includes('GET'))) continue
        const answer = await ask({ method, path, scope: null, access: 'key or session' }, KEYS.all)
        const allowed = answer.headers.get('allow')?.split(', ') ?? []
        if (answer.status !== 405 || allowed.includes(method) || !allowed.includes('OPTIONS'))
          silent.push(`${method} ${path} -> ${answer.status}, allow: ${allowed}`)
      }
    }
    expect(silent).toEqual([])
  })

  it('refuses a body that is no object where fields are expected, whatever it is', async () => {
    const answering: string[] = []
    for (const route of routes.filter(({ method, takesFields }) => method !== 'GET' && takesFields))
      for (const body of ['null', '[]', '"text"', '5']) {
        const { status, body: told } = await service.api(fill(route.path, { project_id: '1' }), {
          method: route.method,
          body,
        })
        // What is not there is 404 before its body is looked at, and keys may not do everything.
        if (![400, 403, 404].includes(status) || (status === 400 && typeof told.detail !== 'string'))
          answering.push(`${route.method} ${route.path} ${body} -> ${status}`)
      }
    expect(answering).toEqual([])
  })

  it('refuses JSON that says it is a form, with the header to send', async () => {
    const taken: string[] = []
    const changes = routes.filter(({ method, access }) => !['GET', 'DELETE'].includes(method) && access !== 'session')
    expect(changes.length).toBeGreaterThan(30)
    for (const { method, path } of changes) {
      const { status, body } = await service.api(fill(path, { project_id: '1' }), {
        method,
        body: '{"name":"x"}',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      if (status !== 400 || !body.detail.includes('Send Content-Type: application/json.'))
        taken.push(`${method} ${path} -> ${status}`)
    }
    expect(taken).toEqual([])
  })

  it('refuses a key without its scope', async () => {
    const scoped = routes.filter(({ scope }) => scope !== null)
    const names = (answer: Answer) =>
      answer.status === 403 && answer.body.detail.startsWith('API key missing required scope')
    expect(await offenders(scoped, names, POWERLESS)).toEqual([])
  })

  it('asks no scope of a key only where it tells who the caller is and what the caller may see', () => {
    const free = routes.filter(({ scope, access }) => scope === null && access === 'key or session')
    expect(
      free.map(({ method, path }) => `${method} ${path.replace('/api/environments/{project_id}/', '')}`).toSorted(),
    ).toEqual([
      'GET /api/environments/',
      'GET /api/personal_api_keys/@current/',
      'GET /api/projects/',
      'POST query/check_auth_for_async/',
    ])
  })

  it('refuses keys where only a signed-in person may act', async () => {
    const personal = routes.filter(({ access }) => access === 'session')
    expect(personal.length).toBeGreaterThan(5)
    expect(await offenders(personal, ({ status }) => status === 403, KEYS.all)).toEqual([])
  })

  it('refuses a key of another project', async () => {
    const refused = ({ status, body }: Answer) =>
      status === 403 && body.detail === 'API key does not have access to the requested project: ID 1.'
    expect(await offenders(routes.filter(inProject), refused, KEYS.projectTwo)).toEqual([])
    // Outside projects such a key may ask about itself, its user and the projects it sees, and nothing else.
    const outside = routes.filter((route) => !inProject(route) && route.access === 'key or session')
    const allowed: string[] = []
    for (const route of outside)
      if ((await ask(route, KEYS.projectTwo)).status !== 403) allowed.push(`${route.method} ${route.path}`)
    expect(allowed.toSorted()).toEqual([
      'DELETE /api/organizations/{organization_id}/projects/{id}/',
      'GET /api/environments/',
      'GET /api/organizations/{organization_id}/projects/',
      'GET /api/organizations/{organization_id}/projects/{id}/',
      'GET /api/personal_api_keys/@current/',
      'GET /api/projects/',
      'GET /api/users/@me/',
      'PATCH /api/organizations/{organization_id}/projects/{id}/',
      'PATCH /api/users/@me/',
    ])
    const own = ['users/@me/', 'projects/', 'environments/', 'organizations/@current/projects/']
    for (const path of own) {
      const { text } = await service.api(`/api/${path}`, { key: KEYS.projectTwo })
      expect(text, path).toContain('phc_test_two')
      expect(text, path).not.toContain('phc_test_one')
    }
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const ask = { method, key: KEYS.projectTwo, ...bodyFor(method) }
      expect((await service.api('/api/organizations/@current/projects/1/', ask)).status).toBe(404)
    }
  })

  it('refuses a change with the cookie of a browser and without the header other sites cannot send', async () => {
    const signedIn = await service.api('/api/login/', {
      key: null,
      body: { email: owner?.email, password: owner?.password },
    })
    const cookie = sessionCookie(signedIn)
    const changes = routes.filter((route) => needsCredentials(route) && route.method !== 'GET')
    expect(changes.length).toBeGreaterThan(50)
    const through: string[] = []
    for (const { method, path } of changes) {
      const answer = await service.api(fill(path, { project_id: '1' }), {
        method,
        key: null,
        headers: { cookie },
        ...bodyFor(method),
      })
      if (answer.status !== 403 || !answer.body.detail.includes('x-requested-with'))
        through.push(`${method} ${path} -> ${answer.status}`)
    }
    expect(through).toEqual([])
  })
})

describe('what belongs to one project', () => {
  let ids: Record<string, string>
  beforeAll(async () => {
    ids = { ...(await fillProjectOne()), project_id: '2' }
  })

  /** One of everything in project 1, each with the secret in it. Every placeholder of the description gets an id of project 1. */
  async function fillProjectOne(): Promise<Record<string, string>> {
    const at = Date.now() - 60_000
    const distinct_id = `${SECRET}-somebody`
    await service.capture([
      { event: SECRET, distinct_id, properties: { [SECRET]: SECRET, $session_id: SECRET, $set: { name: SECRET } } },
      {
        event: '$groupidentify',
        distinct_id,
        properties: { $group_type: SECRET, $group_key: SECRET, $group_set: { a: SECRET } },
      },
    ])
    await upload(service.url, {
      session: SECRET,
      distinctId: distinct_id,
      events: [meta(at, `https://${SECRET}/`), fullSnapshot(at + 1, SECRET)],
    })
    const first = <T>(path: string) =>
      service.waitFor(async () => (await service.api(path)).body.results[0] as T | undefined, path)
    const made = async (path: string, body: object) => {
      const answer = await service.api(path, { body })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    }
    const event = await first<{ id: string }>(`events/?event=${SECRET}`)
    const person = await first<{ id: number }>(`persons/?distinct_id=${distinct_id}`)
    await first('session_recordings/')
    const definition = await first<{ id: string }>(`event_definitions/?search=${SECRET}`)
    const dashboard = await made('dashboards/', { name: SECRET })
    const insight = await made('insights/', {
      name: SECRET,
      dashboards: [dashboard.id],
      filters: { events: [{ id: SECRET }] },
    })
    const playlist = await made('session_recording_playlists/', { name: SECRET })
    await made(`session_recording_playlists/${playlist.short_id}/recordings/${SECRET}/`, {})
    const action = await made('actions/', { name: SECRET, steps: [{ event: SECRET }] })
    const cohort = await made('cohorts/', { name: SECRET, is_static: true })
    const annotation = await made('annotations/', { content: SECRET, scope: 'project' })
    const flag = await made('feature_flags/', { key: SECRET, name: SECRET })
    const change = await made('scheduled_changes/', {
      record_id: flag.id,
      model_name: 'FeatureFlag',
      payload: { operation: 'update_status', value: true },
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    })
    const experiment = await made('experiments/', { name: SECRET, feature_flag_key: `${SECRET}-tried` })
    const feature = await made('early_access_feature/', { name: `${SECRET} feature` })
    const key = await made('project_secret_api_keys/', { label: SECRET.slice(0, 40) })
    const share = await made(`session_recordings/${SECRET}/shares/`, {})
    const query = { kind: 'HogQLQuery', query: `select event from events where event = '${SECRET}'` }
    const question = await made('query/', { query, async: true })
    return {
      person_id: String(person.id),
      event_id: event.id,
      id: definition.id,
      insight_id: insight.short_id,
      dashboard_id: String(dashboard.id),
      short_id: playlist.short_id,
      session_recording_id: SECRET,
      share_id: share.id,
      action_id: String(action.id),
      annotation_id: String(annotation.id),
      cohort_id: String(cohort.id),
      feature_flag_id: String(flag.id),
      version_number: '1',
      scheduled_change_id: String(change.id),
      experiment_id: String(experiment.id),
      early_access_feature_id: String(feature.id),
      key_id: key.id,
      query_id: question.query_status.id,
    }
  }

  it('has an id for every placeholder, or this would test nothing', () => {
    const placeholders = routes
      .filter(inProject)
      .flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string))
    expect([...new Set(placeholders)].filter((name) => !(name in ids))).toEqual([])
  })

  it('cannot be read or changed by its ids through the path of another', async () => {
    const byId = routes.filter((route) => inProject(route) && /\{(?!project_id)/.test(route.path))
    expect(byId.length).toBeGreaterThan(30)
    const leaks: string[] = []
    for (const route of byId) {
      const answer = await ask(route, KEYS.all, ids)
      if (answer.status < 400 || answer.status >= 500 || answer.text.includes(SECRET))
        leaks.push(`${route.method} ${route.path} -> ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    expect(leaks).toEqual([])
  })

  it('does not show in the lists and answers of another', async () => {
    const lists = routes.filter(
      (route) => inProject(route) && !/\{(?!project_id)/.test(route.path) && !/\/live\/$/.test(route.path),
    )
    const leaks: string[] = []
    for (const route of lists.filter(({ method }) => method === 'GET')) {
      const { text } = await ask(route, KEYS.all, ids)
      if (text.includes(SECRET)) leaks.push(`${route.path}: ${text.slice(0, 200)}`)
    }
    expect(leaks).toEqual([])
  })

  it('cannot be reached by ids in bodies', async () => {
    const two = (path: string, body: object) => service.api(`/api/environments/2/${path}`, { body })
    const { person_id, insight_id, dashboard_id } = ids
    await two('persons/bulk_delete/', {
      ids: [person_id],
      distinct_ids: [`${SECRET}-somebody`],
      delete_events: true,
      delete_recordings: true,
    })
    await two('session_recordings/bulk_delete/', { session_recording_ids: [SECRET] })
    await two('insights/viewed/', { insight_ids: [insight_id] })
    const stolen = await two('insights/', { name: 'x', dashboards: [Number(dashboard_id)] })
    expect(stolen.status).toBe(400)
    const playlist = (await two('session_recording_playlists/', { name: 'x' })).body
    await two(`session_recording_playlists/${playlist.short_id}/recordings/${SECRET}/`, {})
    const listed = await service.api(`/api/environments/2/session_recording_playlists/${playlist.short_id}/recordings/`)
    expect(listed.text).not.toContain(`https://${SECRET}`)
    const answers = await Promise.all([
      two('query/', { query: { kind: 'HogQLQuery', query: 'select * from events' } }),
      two('query/', { query: { kind: 'HogQLQuery', query: 'select * from persons' } }),
      two('query/', { query: { kind: 'EventsQuery', select: ['*'] } }),
      two('insights/trend/', { events: [{ id: SECRET }] }),
      two('insights/trend/', { actions: [{ id: Number(ids.action_id) }] }),
      two('insights/trend/', {
        events: [{ id: SECRET }],
        properties: [{ key: 'id', type: 'cohort', value: Number(ids.cohort_id) }],
      }),
      service.api(
        `/api/environments/2/session_recordings/matching_events/?session_ids=["${SECRET}"]&events=[{"id":"${SECRET}"}]`,
      ),
    ])
    for (const { text } of answers) expect(text).not.toMatch(new RegExp(`${SECRET}-somebody|"count":1[,}]`))
  })

  it('is still all there afterwards', async () => {
    const { person_id, insight_id, dashboard_id, short_id, event_id } = ids
    const paths = [
      `actions/${ids.action_id}`,
      `annotations/${ids.annotation_id}`,
      `cohorts/${ids.cohort_id}`,
      `persons/${person_id}`,
      `insights/${insight_id}`,
      `dashboards/${dashboard_id}`,
      `events/${event_id}`,
    ]
    for (const path of [...paths, `session_recording_playlists/${short_id}`, `session_recordings/${SECRET}/snapshots`])
      expect((await service.api(`${path}/`)).text, path).toContain(SECRET)
    expect((await service.api(`session_recordings/${SECRET}/shares/`)).body.results).toHaveLength(1)
  })
})
