import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKLIST, EXPERIMENT, FLAGS, story } from '../../src/demo/index.ts'
import {
  accessibilityProblems,
  keepScreenshot,
  openBrowser,
  settled,
  signIn,
  type TestBrowser,
  type Visit,
  visit,
} from '../support/browser.ts'
import { missedByTab, onlyByPointer } from '../support/keyboard.ts'
import { click, consoleLine, fullSnapshot, meta, upload } from '../support/recordings.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let browser: TestBrowser
let person = ''
let group = ''
let flag = ''
let feature = ''
let cohort = ''
let action = ''
let dashboard = ''
let playlist = ''
let insight = ''
const RECORDING = 'a-recording'

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startTestService(), openBrowser()])
  const events = story({ end: Date.now(), visitors: 300 })
  const batch = events.map(({ at, ...event }) => ({ ...event, timestamp: new Date(at).toISOString() }))
  for (let i = 0; i < batch.length; i += 500) await service.capture(batch.slice(i, i + 500))
  await service.capture({ event: 'nobody did this', properties: {} })
  person = await service.waitFor(async () => {
    const { body } = await service.api('persons/?search=@&limit=1')
    return body?.results?.[0]?.uuid as string | undefined
  })
  for (const fields of FLAGS) {
    const { body, text } = await service.api('feature_flags/', { body: fields })
    flag ||= body?.id ? String(body.id) : text
  }
  const start_date = new Date(Date.now() - EXPERIMENT.days * 86_400_000).toISOString()
  await service.api('experiments/', { body: { ...EXPERIMENT.fields, feature_flag_key: CHECKLIST, start_date } })
  feature = (await service.api('early_access_feature/', { body: { name: 'Quick add', stage: 'beta' } })).body.id
  const idOf = async (path: string, fields: object) => {
    const { body } = await service.api(path, { body: fields })
    return String(body.short_id ?? body.id)
  }
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }] }
  const values = [{ type: 'person', key: 'email', operator: 'is_set', value: 'is_set' }]
  const filters = { properties: { type: 'OR', values: [{ type: 'AND', values }] } }
  cohort = await idOf('cohorts/', { name: 'With an email', filters })
  action = await idOf('actions/', { name: 'Signing up', steps: [{ event: 'signed up' }] })
  dashboard = await idOf('dashboards/', { name: 'Overview' })
  insight = await idOf('insights/', { name: 'Signups', saved: true, query, dashboards: [Number(dashboard)] })
  playlist = await idOf('session_recording_playlists/', { name: 'Some' })
  const began = Date.now() - 3_600_000
  const recorded = [
    meta(began),
    fullSnapshot(began, 'A page'),
    click(began + 2_000),
    consoleLine(began + 3_000, 'error', 'no'),
  ]
  await upload(service.url, { session: RECORDING, distinctId: 'somebody', events: recorded })
  await service.stored()
  await service.api(`session_recording_playlists/${playlist}/recordings/${RECORDING}/`, { method: 'POST' })
  group = await service.waitFor(async () => {
    const { body } = await service.api('groups/?group_type_index=0')
    return body?.results?.[0]?.group_key as string | undefined
  })
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const q = (draft: object) => `insights/new?q=${encodeURIComponent(JSON.stringify(draft))}`
const BY_BROWSER = { breakdown: { property: '$browser', type: 'event' } }
const STEPS = ['signed up', 'created board', 'invited teammate'].map((event) => ({ event }))

const BY_DAY = `select toStartOfDay(timestamp) as day, event, count() as times from events
  where event in ('signed up', 'completed task') group by day, event`

const PAGES: Record<string, () => string> = {
  home: () => '',
  web: () => 'web',
  start: () => 'start',
  live: () => 'live',
  persons: () => 'persons',
  person: () => `persons/${person}`,
  'person-groups': () => `persons/${person}?view=groups`,
  'person-flags': () => `persons/${person}?view=flags`,
  'person-history': () => `persons/${person}?view=history`,
  groups: () => 'groups',
  group: () => `groups/company/${encodeURIComponent(group)}`,
  definitions: () => 'definitions',
  'definitions-properties': () => 'definitions?view=event',
  'live-problems': () => 'live?view=problems',
  'sql-answer': () => `sql?sql=${encodeURIComponent('select event, count() from events group by event')}`,
  insights: () => 'insights',
  trends: () =>
    q({ kind: 'trends', series: [{ event: '$pageview', math: 'dau' }, { event: 'signed up' }], from: '-30d' }),
  'trends-compared': () => q({ kind: 'trends', series: [{ event: '$pageview' }], from: '-14d', compare: true }),
  'trends-bars': () => q({ kind: 'trends', series: STEPS, from: '-30d', display: 'bar' }),
  'trends-pie': () => q({ kind: 'trends', series: [{ event: '$pageview' }], ...BY_BROWSER, display: 'pie' }),
  'trends-ranking': () => q({ kind: 'trends', series: [{ event: '$pageview' }], ...BY_BROWSER, display: 'ranking' }),
  funnel: () => q({ kind: 'funnel', series: STEPS, from: '-90d' }),
  'funnel-broken-down': () => q({ kind: 'funnel', series: STEPS, from: '-90d', ...BY_BROWSER }),
  'funnel-compared': () => q({ kind: 'funnel', series: STEPS, from: '-30d', compare: true }),
  'funnel-over-time': () => q({ kind: 'funnel', series: STEPS.slice(0, 2), from: '-30d', viz: 'trends' }),
  retention: () =>
    q({ kind: 'retention', series: [{ event: 'signed up' }], returning: 'completed task', period: 'Week' }),
  paths: () => q({ kind: 'paths', series: [], pathTypes: ['$pageview'], from: '-30d' }),
  lifecycle: () => q({ kind: 'lifecycle', series: [{ event: 'completed task' }], interval: 'week', from: '-90d' }),
  stickiness: () => q({ kind: 'stickiness', series: [{ event: 'completed task' }], from: '-30d' }),
  sql: () => 'sql',
  'sql-lines': () => q({ kind: 'sql', series: [], sql: BY_DAY, display: 'line' }),
  'trends-formula': () => q({ kind: 'trends', series: STEPS.slice(0, 2), formula: 'B / A * 100', from: '-14d' }),
  dashboards: () => 'dashboards',
  dashboard: () => `dashboards/${dashboard}`,
  insight: () => `insights/${insight}`,
  cohorts: () => 'cohorts',
  cohort: () => `cohorts/${cohort}`,
  actions: () => 'actions',
  action: () => `actions/${action}`,
  recording: () => `recordings/${RECORDING}`,
  playlist: () => `playlists/${playlist}`,
  'not-found': () => 'nowhere',
  flags: () => 'flags',
  experiments: () => 'experiments',
  'flags-new': () => 'flags/new',
  flag: () => `flags/${flag}`,
  'flag-edit': () => `flags/${flag}/edit`,
  'flag-usage': () => `flags/${flag}?view=usage`,
  'flag-experiment': () => `flags/${flag}?view=experiment`,
  'flag-why': () => `flags/${flag}?view=test&who=user-1`,
  'flag-code': () => `flags/${flag}?view=code`,
  'flag-history': () => `flags/${flag}?view=history`,
  'early-access': () => 'early-access',
  'early-access-feature': () => `early-access/${feature}`,
  recordings: () => 'recordings',
  heatmaps: () => 'heatmaps',
  playlists: () => 'playlists',
  settings: () => 'settings',
  'settings-members': () => 'settings/members',
  'settings-keys': () => 'settings/keys',
  'settings-deletions': () => 'settings/deletions',
  'settings-audit': () => 'settings/audit',
  'settings-status': () => 'settings/status',
  'settings-account': () => 'settings/account',
}

/** Outside of a project. */
const ELSEWHERE = ['/', '/sign-in', '/join/$token', '/shared/$token', '/project/$projectId']

it('every address of the app is among the pages that are looked at', async () => {
  const source = readFileSync(path.join(import.meta.dirname, '../../web/src/app/router.tsx'), 'utf8')
  const routes = [...source.matchAll(/(?:path: |[pP]age\(\s*)'([^']+)'/g)].map(([, route]) => route ?? '')
  expect(routes.length).toBeGreaterThan(30)
  const shown = Object.values(PAGES).map((address) => address().split('?')[0] ?? '')
  const missing = routes
    .filter((route) => !ELSEWHERE.includes(route))
    .filter((route) => {
      const fits = new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`)
      return !shown.some((address) => fits.test(address))
    })
  expect(missing).toEqual([])
})

const WIDE = { width: 1280, height: 860 }
const NARROW = { width: 390, height: 844 }
/** In turn, on the page as it is: whoever changes the theme of the system or turns a phone does not load it again. */
const LOOKS = [
  { theme: 'light', size: WIDE, rules: 'all' },
  { theme: 'dark', size: WIDE, rules: 'colours' },
  { theme: 'light', size: NARROW, rules: 'structure' },
] as const

describe('every page, light, dark and narrow', () => {
  let visitor: Visit
  beforeAll(async () => {
    visitor = await visit(browser, { theme: 'system' })
    await signIn(visitor, service.url)
  })
  afterAll(() => visitor?.context.close())

  it.each(Object.entries(PAGES))(
    '%s loads, fits its width, and breaks no serious accessibility rule',
    async (name, path) => {
      const { page, problems } = visitor
      await page.goto(`${service.url}/project/1/${path()}`)
      for (const { theme, size, rules } of LOOKS) {
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await page.locator(`html[data-theme="${theme}"]`).waitFor()
        await settled(page)
        // Also what makes the look at colours below certain: none of them is on its way to another.
        const moving = await page.evaluate<string[]>(
          'document.getAnimations().filter(({ timeline }) => timeline instanceof DocumentTimeline).map(({ effect }) => effect.target.className)',
        )
        if (moving.length > 0) problems.push(`${theme}: ${moving.join(', ')} moves although less motion is asked for`)
        if (rules === 'all')
          problems.push(...(await onlyByPointer(page)).map((part) => `only a pointer reaches ${part}`))
        await keepScreenshot(page, `${name}-${theme}-${size.width}`)
        problems.push(...(await accessibilityProblems(page, `${theme}, ${size.width} px`, rules)))
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        if (overflow > 0) problems.push(`${theme}: ${overflow} px wider than a screen of ${size.width}`)
      }
      expect(problems.splice(0)).toEqual([])
    },
  )
})

describe('by the tab key', () => {
  let visitor: Visit
  beforeAll(async () => {
    visitor = await visit(browser)
    await signIn(visitor, service.url)
  })
  afterAll(() => visitor?.context.close())

  it.each([
    'home',
    'trends',
    'funnel',
    'retention',
    'dashboard',
    'recording',
    'persons',
    'cohort',
    'flag',
    'flag-edit',
    'heatmaps',
    'settings',
    'sql-answer',
  ])('everything on the page %s is reached, and the page is left again', async (name) => {
    await visitor.page.goto(`${service.url}/project/1/${PAGES[name]?.()}`)
    await settled(visitor.page)
    if (name === 'dashboard') await visitor.page.getByRole('button', { name: 'Arrange' }).click()
    if (name === 'recording') await visitor.page.getByRole('button', { name: 'Play again' }).waitFor()
    expect(await missedByTab(visitor.page)).toEqual([])
  })
})

describe('pages for whoever is not signed in, light, dark and narrow', () => {
  const OUTSIDE: Record<string, () => Promise<string>> = {
    'sign-in': async () => '/sign-in',
    join: async () => {
      const { body } = await service.api('/api/organizations/@current/invites/', {
        body: { target_email: 'guest@example.com' },
      })
      return `/join/${body.token}`
    },
    'join-used': async () => '/join/nobody',
    shared: async () => {
      const { body } = await service.api(`session_recordings/${RECORDING}/shares/`, { body: {} })
      return `/shared/${body.token}`
    },
    'shared-web': async () => {
      const { body } = await service.api('web_analytics/shares/', { body: {} })
      return `/shared/${body.token}`
    },
    'shared-revoked': async () => '/shared/nothing',
  }

  it.each(Object.entries(OUTSIDE))('%s fits its width and breaks no serious accessibility rule', async (name, find) => {
    const { page, context } = await visit(browser, { theme: 'system' })
    const problems: string[] = []
    await page.goto(`${service.url}${await find()}`)
    for (const { theme, size, rules } of LOOKS) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.locator(`html[data-theme="${theme}"]`).waitFor()
      await settled(page)
      await page.locator('h1, h2').first().waitFor()
      await keepScreenshot(page, `${name}-${theme}-${size.width}`)
      problems.push(...(await accessibilityProblems(page, `${theme}, ${size.width} px`, rules)))
      problems.push(...(await onlyByPointer(page)).map((part) => `only a pointer reaches ${part}`))
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      if (overflow > 0) problems.push(`${theme}: ${overflow} px wider than a screen of ${size.width}`)
    }
    expect(problems).toEqual([])
    await context.close()
  })
})

it('a page that is opened on a dark, narrow screen is so from the start', async () => {
  const visitor = await visit(browser, { theme: 'dark', ...NARROW })
  await signIn(visitor, service.url)
  for (const name of ['home', 'trends', 'recordings']) {
    await visitor.page.goto(`${service.url}/project/1/${PAGES[name]?.()}`)
    await settled(visitor.page)
    visitor.problems.push(...(await accessibilityProblems(visitor.page, name)))
  }
  expect(visitor.problems).toEqual([])
  await visitor.context.close()
})
