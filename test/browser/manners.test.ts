import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { settled, signIn, type Visit, visit } from '../support/browser.ts'
import { OWNER, type TestService } from '../support/service.ts'

/** How the app behaves when things are not as usual: by the keyboard only, in the evening, while the service is away. */
let app: App
let service: TestService
let browser: Browser
let visitor: Visit
let page: Page
let open: App['open']
let openInsight: App['openInsight']

const PATIENCE = { timeout: 60_000 }

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture(
      Array.from({ length: 6 }, (_, index) => ({
        event: 'signed up',
        distinct_id: `user-${index}`,
        timestamp: new Date(Date.now() - 2 * 86_400_000).toISOString(),
        properties: { $set: { email: `user-${index}@${index < 2 ? 'acme.test' : 'example.com'}` } },
      })),
    )
    await service.waitFor(async () => (await service.api('persons/?limit=1')).body?.count === 6)
  })
  ;({ service, browser, visitor, page, open, openInsight } = app)
})
afterAll(() => app?.close())

const SIGNUPS = { kind: 'trends', series: [{ event: 'signed up' }], from: '-7d' }

describe('by the keyboard', () => {
  it('a panel takes the focus, and gives it back to the number it was opened from', async () => {
    await openInsight(SIGNUPS)
    const number = page.locator('.data-table-people').nth(1)
    await number.focus()
    await page.keyboard.press('Enter')
    await page.locator('.people-row').first().waitFor()
    await page.locator('.panel:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
    await number.and(page.locator(':focus')).waitFor()
  })

  it('a dialog begins at its first field, and gives the focus back to its button', async () => {
    await open('settings/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('What is it for?').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New key' }).and(page.locator(':focus')).waitFor()
    await open('persons?search=user-5@example.com')
    await page.getByRole('row', { name: /user-5@example.com/ }).click()
    await page.waitForURL('**/persons/**')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByLabel(/Keep the events/)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Escape')
  })
})

describe("a project's settings", () => {
  it('test accounts that are named there are left out of an insight that asks for it', async () => {
    await service.api('/api/projects/1/', {
      method: 'PATCH',
      body: {
        test_account_filters: [{ key: 'email', type: 'person', operator: 'not_icontains', value: '@acme.test' }],
      },
    })
    await openInsight(SIGNUPS)
    const total = () => page.locator('.data-table tbody td').first().textContent()
    await expect.poll(total, PATIENCE).toBe('6')
    await page.getByLabel('Exclude test accounts').check()
    await expect.poll(total, PATIENCE).toBe('4')
  })

  it('how long events are kept is set in days, asked for again, and for ever when nothing is said', async () => {
    await open('settings')
    const days = page.getByLabel('Keep events for (days)')
    await days.fill('400')
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
    await page.getByRole('button', { name: 'Save' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Delete older data?' })
    await dialog.getByLabel('Type the project name: One').fill('One')
    await dialog.getByLabel('Your password').fill(OWNER.password)
    await dialog.getByRole('button', { name: 'Delete older data' }).click()
    await saved
    await page.reload()
    await settled(page)
    expect(await days.inputValue()).toBe('400')
  })
})

describe('the theme', () => {
  it('is that of the system, also when it changes, until somebody chooses', async () => {
    const context = await browser.newContext({ colorScheme: 'light' })
    const guest = await context.newPage()
    await guest.goto(`${service.url}/sign-in`)
    await guest.getByLabel('Email').waitFor()
    const theme = () => guest.evaluate<string>('document.documentElement.dataset.theme')
    expect(await theme()).toBe('light')
    await guest.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(theme, PATIENCE).toBe('dark')
    await guest.evaluate("localStorage.setItem('footfall.theme', 'dark')")
    await guest.emulateMedia({ colorScheme: 'light' })
    await guest.reload()
    expect(await theme()).toBe('dark')
    await context.close()
  })
})

describe('nothing jumps', () => {
  it('while answers come, what is there stays where it is', async () => {
    const late = await visit(browser)
    await signIn(late, service.url)
    await late.page.addInitScript(`window.shifts = []
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries())
          window.shifts.push(value.toFixed(4) + ' ' + sources.map(({ node }) => node?.className ?? node?.nodeName).join(', '))
      }).observe({ type: 'layout-shift', buffered: true })`)
    await late.page.route('**/api/**', async (route) => {
      await new Promise((later) => setTimeout(later, 200))
      await route.continue().catch(() => {})
    })
    const moved: string[] = []
    for (const path of ['', 'persons', 'insights', 'recordings', 'definitions', 'dashboards', 'settings/members']) {
      await late.page.goto(`${service.url}/project/1/${path}`)
      await settled(late.page)
      await late.page.locator('#content h1').first().waitFor()
      const shifts = await late.page.evaluate<string[]>('window.shifts')
      moved.push(...shifts.filter((shift) => Number.parseFloat(shift) > 0.005).map((shift) => `${path}: ${shift}`))
    }
    expect(moved).toEqual([])
    await late.context.close()
  }, 300_000)
})

describe('while the service is away', () => {
  const away = () => page.route('**/*', (route) => route.abort('connectionrefused'))
  const back = () => page.unroute('**/*')
  afterEach(back)

  it('a page says so, keeps its place, and fills itself when the service is back', async () => {
    await open('persons')
    await away()
    await page.getByLabel('Search persons').fill('user-3@example.com')
    await page.getByText('The service is not responding').waitFor(PATIENCE)
    await page.getByRole('link', { name: 'Recordings', exact: true }).waitFor()
    await back()
    await page.getByRole('row', { name: /user-3@example.com/ }).waitFor(PATIENCE)
  })

  it('a page whose code was never fetched says so too, and opens when the service is back', async () => {
    await page.route('**/assets/playlists-*.js', (route) => route.abort('connectionrefused'))
    await open('persons')
    await away()
    await page.getByRole('link', { name: 'Playlists', exact: true }).click()
    await page.getByText('The service is not responding').waitFor(PATIENCE)
    expect(page.url()).toContain('/project/1/')
    await page.locator('.rail').waitFor()
    await page.unroute('**/assets/playlists-*.js')
    await back()
    await page.getByRole('heading', { name: 'Playlists' }).waitFor(PATIENCE)
  })

  it('a change that could not be saved is still in its field', async () => {
    await open('settings/account')
    await away()
    await page.getByLabel('First name').fill('Grace')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('The service is not responding').first().waitFor(PATIENCE)
    expect(await page.getByLabel('First name').inputValue()).toBe('Grace')
    await back()
  })

  it('a session that ended leads to the sign-in page, and from there back to where one was', async () => {
    await open('persons')
    // A page that still asks something learns of the end by itself and moves: no answer may come before the click has.
    let letGo = () => {}
    const held = new Promise<void>((done) => {
      letGo = done
    })
    await page.route('**/api/**', (route) => held.then(() => route.continue()))
    await visitor.context.clearCookies()
    await page.getByRole('link', { name: 'Definitions', exact: true }).click()
    await page.waitForURL('**/project/1/definitions')
    letGo()
    await page.waitForURL('**/sign-in?next=**')
    await page.unroute('**/api/**')
    await page.getByLabel('Email').fill('owner@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/project/1/definitions')
    await page.getByRole('heading', { name: 'Definitions' }).waitFor()
  })
})
