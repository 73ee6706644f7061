import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import {
  accessibilityProblems,
  keepScreenshot,
  settled,
  type TestBrowser,
  type Visit,
  visit,
} from '../support/browser.ts'
import { OWNER, type TestService } from '../support/service.ts'
import { sessionCookie } from '../support/session-cookie.ts'

let app: App
let service: TestService
let browser: TestBrowser
let visitor: Visit
let page: Page
let open: App['open']

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture(
      Array.from({ length: 5 }, (_, i) => ({
        event: i < 3 ? 'paid' : 'signed up',
        distinct_id: `user-${i}`,
        properties: { amount: i },
      })),
    )
    await service.stored()
  })
  ;({ service, browser, visitor, page, open } = app)
})
afterAll(() => app?.close())

const editor = () => page.getByRole('textbox', { name: 'SQL' })

describe('settings and the pages around them', () => {
  it('somebody is invited by a link, joins once, gets another level and is removed', async () => {
    await open('settings/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email (optional)').fill('bea@example.com')
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your invitation' })
    const link = (await dialog.locator('pre').textContent()) ?? ''
    await keepScreenshot(page, 'invitation')
    expect(await accessibilityProblems(page, 'invitation')).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('region', { name: 'Invitations' }).getByText('bea@example.com').waitFor()

    const bea = await visit(browser)
    await bea.page.goto(link)
    await bea.page.getByRole('heading', { name: 'Join Acme' }).waitFor()
    await keepScreenshot(bea.page, 'join')
    expect(await accessibilityProblems(bea.page, 'join')).toEqual([])
    await bea.page.getByLabel('First name').fill('Bea')
    await bea.page.getByLabel('Password').fill('a password of hers')
    await bea.page.getByRole('button', { name: 'Join' }).click()
    await bea.page.waitForURL('**/project/1**')
    expect(bea.problems).toEqual([])
    await bea.page.goto(link)
    await bea.page.getByText('This invitation does not work').waitFor()
    await bea.context.close()

    await open('settings/members')
    await page.getByLabel('Role of Bea').selectOption('8')
    await page.getByText('Saved').waitFor()
    await keepScreenshot(page, 'members')
    await page.getByRole('button', { name: 'Remove Bea' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Bea was removed').waitFor()
    await page.getByRole('button', { name: 'Remove Bea' }).waitFor({ state: 'detached' })
    expect((await service.api('/api/organizations/@current/members/')).body.count).toBe(2)
  })

  it('the status says in words what the doctor finds, and looks again by itself', async () => {
    await open('settings/status')
    await page.getByText('all checks passed').waitFor()
    await page.getByText('PostgreSQL answers').waitFor()
    await page.getByText('accepting events', { exact: false }).first().waitFor()
    const again = page.waitForResponse('**/api/instance_status/')
    expect((await again).ok()).toBe(true)
  })

  it('shows where one is signed in, ends it there, and says in the audit log who did what', async () => {
    const other = await service.api('/api/login/', {
      key: null,
      body: OWNER,
      headers: { 'user-agent': 'Elsewhere/1.0' },
    })
    const cookie = sessionCookie(other)
    const me = async () => (await service.api('/api/users/@me/', { key: null, headers: { cookie } })).status
    expect(await me()).toBe(200)
    await open('settings/account')
    await page.getByRole('row', { name: /Chrome on Linux.*this browser/ }).waitFor()
    await keepScreenshot(page, 'sessions')
    await page.getByRole('button', { name: 'Sign out Elsewhere/1.0' }).click()
    await page.getByText('Signed out that browser').waitFor()
    expect(await me()).toBe(401)

    await open('settings/audit')
    const log = page.getByRole('table', { name: 'Audit log' })
    await log
      .getByRole('row', { name: /Ada.*ended sessions.*127\.0\.0\.1/ })
      .first()
      .waitFor()
    await log
      .getByRole('row', { name: /Ada.*signed in.*by password/ })
      .first()
      .waitFor()
    await page.getByLabel('What to show').selectOption('OrganizationInvite')
    await log.getByRole('row', { name: /invited someone.*bea@example.com/ }).waitFor()
    await keepScreenshot(page, 'audit-log')
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'CSV' }).click()
    expect((await saved).suggestedFilename()).toMatch(/\.csv$/)
  })

  it('an event is described, verified and hidden, and is then left out of pickers', async () => {
    await open('definitions')
    await page.getByRole('row', { name: /paid/ }).getByRole('cell', { name: '3', exact: true }).waitFor()
    await page.getByRole('row', { name: /paid/ }).click()
    const dialog = page.getByRole('dialog', { name: 'paid' })
    await dialog.getByLabel('Description').fill('Money came in')
    await dialog.getByLabel('Tags').fill('billing, core')
    await dialog.getByLabel(/^Verified/).check()
    await dialog.getByLabel(/^Hidden/).check()
    await keepScreenshot(page, 'definition')
    expect(await accessibilityProblems(page, 'definition')).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await page.getByRole('row', { name: /paid/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Show hidden').check()
    await page.getByRole('row', { name: /paid.*verified.*hidden.*Money came in.*billing.*core/ }).waitFor()
    await keepScreenshot(page, 'definitions-notes')
    await open('insights/new')
    await page.getByRole('button', { name: 'Page view', exact: true }).click()
    await page.getByRole('option', { name: /signed up/ }).waitFor()
    await expect.poll(() => page.getByRole('option', { name: /paid/ }).count()).toBe(0)
  })

  it('a query runs by Ctrl Enter, shows rows and becomes a file', async () => {
    await open('sql')
    await editor().click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('select event, count() as times from events group by event order by times desc')
    await page.keyboard.press('Control+Enter')
    await page.getByText('2 rows', { exact: false }).waitFor()
    const cells = () => page.getByRole('region', { name: 'Result' }).getByRole('cell').allTextContents()
    await expect.poll(cells).toEqual(['paid', '3', 'signed up', '2'])
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    expect((await saved).suggestedFilename()).toBe('query.csv')
    await keepScreenshot(page, 'sql-result')
    await page.reload()
    await page.getByText('2 rows', { exact: false }).waitFor()
  })

  it('a query that cannot run is refused in words that point at the place, and undo brings the old one back', async () => {
    await editor().click()
    const before = await editor().textContent()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('select cout() from events')
    await page.keyboard.press('Control+Enter')
    const problem = page.getByRole('alert')
    await problem.getByText('There is no function "cout"', { exact: false }).waitFor()
    await problem.getByText('Line 1, column 8.').waitFor()
    await expect.poll(() => page.locator('.cm-problem').textContent()).toBe('cout')
    await keepScreenshot(page, 'sql-problem')
    expect(await accessibilityProblems(page, 'SQL with an error')).toEqual([])
    for (let i = 0; i < 60 && (await editor().textContent()) !== before; i++) await page.keyboard.press('Control+z')
    expect(await editor().textContent()).toBe(before)

    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page
      .getByRole('navigation', { name: 'Tables and columns' })
      .getByRole('button', { name: /^distinct_id / })
      .first()
      .click()
    await expect.poll(() => editor().textContent()).toBe('distinct_id')
    visitor.problems.length = 0
  })

  it('a project without events turns live with a test event', async () => {
    await open('start', 2)
    await page.getByText('Waiting for the first event').waitFor()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('Received: test event').waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).waitFor()
    expect((await service.api('/api/environments/2/events/')).body.results).toMatchObject([{ event: 'test event' }])
  })

  it('the demo is loaded by a button that shows how far it is', async () => {
    await open('start', 2)
    await page.route('**/demo_data/', (route) =>
      route.request().method() === 'POST'
        ? route.continue({
            headers: { ...route.request().headers(), 'content-type': 'application/json' },
            postData: '{"visitors":250}',
          })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Load demo data' }).click()
    await page.getByRole('progressbar', { name: 'Loading demo data' }).waitFor()
    await keepScreenshot(page, 'demo-loading')
    await page.getByText(/Loaded [\d,]+ events and [1-9]\d* recordings/).waitFor()
    const { body } = await service.api('/api/environments/2/session_recordings/?date_from=-7d&limit=100')
    expect(body.results.length).toBeGreaterThan(0)
    await page.unroute('**/demo_data/')

    await page.getByRole('link', { name: 'Open the dashboard' }).click()
    await page.getByRole('heading', { name: 'Product overview' }).waitFor()
    await page.getByRole('link', { name: 'Tasks per active person' }).waitFor()
    await settled(page)
    await keepScreenshot(page, 'demo-dashboard')
    // The home page shows what somebody pinned.
    await open('', 2)
    await page.getByRole('link', { name: 'Open the dashboard' }).waitFor()
    await page.getByRole('link', { name: 'Open Activation' }).click()
    await page.waitForURL(/\/insights\/\w+$/)
  })

  it('the live stream is narrowed and paused', async () => {
    await open('live')
    await page.getByText('Listening').waitFor()
    await page.getByText('Earlier').waitFor()
    await service.capture([
      { event: 'shown', distinct_id: 'me' },
      { event: 'lost', properties: {} },
    ])
    const stream = page.getByRole('list', { name: 'Events', exact: true })
    await stream.getByText('shown').waitFor()
    await stream.getByText('lost').waitFor()
    await page.getByLabel('Only dropped and changed').check()
    await stream.getByText('shown').waitFor({ state: 'detached' })
    await stream.getByText('Event without a distinct id').waitFor()
    await stream.getByText('Send distinct_id with every event', { exact: false }).waitFor()
    await keepScreenshot(page, 'live-dropped')
    await page.getByLabel('Only dropped and changed').uncheck()
    await page.getByRole('button', { name: 'Pause' }).click()
    await service.capture({ event: 'unseen', distinct_id: 'me' })
    await page.getByText('Paused, 1 event not shown').waitFor()
    await expect.poll(() => stream.getByText('unseen').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await service.capture({ event: 'seen again', distinct_id: 'me' })
    await stream.getByText('seen again').waitFor()
    await page.getByLabel('Filter').fill('again')
    await stream.getByText('shown').waitFor({ state: 'detached' })
    expect(await accessibilityProblems(page, 'live')).toEqual([])
  })

  it('the project API key is replaced, and the old one accepted until somebody ends that', async () => {
    const token = async () => (await service.api('/api/projects/2/')).body.api_token as string
    const send = async (api_key: string) =>
      (await service.api('/i/v0/e/', { key: null, body: { api_key, event: 'x', distinct_id: 'y' } })).status
    const before = await token()
    await open('settings', 2)
    await page.getByRole('button', { name: 'Replace key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the project API key?' })
    await dialog.getByLabel(/Type the project name/).fill('Two')
    await dialog.getByLabel('Your password').fill(OWNER.password)
    await keepScreenshot(page, 'replace-key')
    expect(await accessibilityProblems(page, 'replace key')).toEqual([])
    await dialog.getByRole('button', { name: 'Replace key' }).click()
    await page.getByText('The project has a new key').waitFor()
    const after = await token()
    expect([await send(before), await send(after)]).toEqual([200, 200])
    await page.getByText(`${before} is accepted until`, { exact: false }).waitFor()
    await keepScreenshot(page, 'replaced-key')
    await page.getByRole('button', { name: 'Stop accepting it' }).click()
    await page.getByText('The old key no longer works').waitFor()
    expect([await send(before), await send(after)]).toEqual([401, 200])
  })

  it('the password is changed, and the old one no longer lets anybody in', async () => {
    await open('settings/account')
    const form = page.locator('.card', { hasText: 'Change your password' })
    await form.getByLabel('Current password').fill('not this one')
    await form.getByLabel('New password').fill('another good one')
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByText('This is not the current password.').waitFor()
    await form.getByLabel('Current password').fill(OWNER.password)
    await form.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    const enter = async (password: string) => {
      await page.getByLabel('Email').fill(OWNER.email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await enter(OWNER.password)
    await page.getByText('Email or password is incorrect.').waitFor()
    await keepScreenshot(page, 'sign-in-wrong')
    await enter('another good one')
    await page.waitForURL('**/project/**')
    const refused = visitor.problems.filter((problem) => !/^4\d\d /.test(problem))
    expect(refused).toEqual([])
  })
})
