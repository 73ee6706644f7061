import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { datesBetween } from '../../web/src/lib/ranges.ts'
import { type App, openApp } from '../support/app.ts'
import { keepScreenshot, settled, signIn, type TestBrowser, type Visit, visit } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { OWNER, type TestService } from '../support/service.ts'

/** How the app behaves when things are not as usual: by the keyboard only, in the evening, while the service is away. */
let app: App
let service: TestService
let browser: TestBrowser
let visitor: Visit
let page: Page
let open: App['open']
let openInsight: App['openInsight']

const TWO_DAYS_AGO = new Date(Date.now() - 2 * 86_400_000).toISOString()

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture(
      Array.from({ length: 6 }, (_, index) => ({
        event: 'signed up',
        distinct_id: `user-${index}`,
        timestamp: TWO_DAYS_AGO,
        properties: { $set: { email: `user-${index}@${index < 2 ? 'acme.test' : 'example.com'}` } },
      })),
    )
    await service.stored()
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

  it('a question is put together, its points opened, and it is saved, without a pointer', async () => {
    await openInsight({ ...SIGNUPS, series: [{ event: 'signed up' }, { event: 'signed up', math: 'dau' }] })
    const focus = (name: string | RegExp, role: 'button' | 'radio' = 'button') =>
      tabTo(page, page.getByRole(role, { name }).first())
    await tabTo(page, page.getByRole('region', { name: 'Filters' }).getByRole('button').first())
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /^email/ }).waitFor()
    await page.keyboard.type('email')
    await page
      .getByRole('option', { name: /^email/, selected: true })
      .or(page.locator('[data-highlighted]'))
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Value').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('user-3@example.com')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'email is user-3@example.com' }).waitFor()
    await settled(page)

    const chart = page.getByRole('application')
    await tabTo(page, chart)
    await page.keyboard.press('Home')
    for (let day = 0; day < 7; day++) {
      if (
        await page
          .locator('.chart [role=status]')
          .filter({ hasText: /signed up: 1$/ })
          .count()
      )
        break
      await page.keyboard.press('ArrowRight')
    }
    await page
      .locator('.chart [role=status]')
      .filter({ hasText: /signed up: 1$/ })
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page
      .locator('.chart [role=status]')
      .filter({ hasText: /signed up, unique people: 1$|: 1$/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.people-row').filter({ hasText: 'user-3@example.com' }).waitFor()
    await page.locator('.panel:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
    await chart.and(page.locator(':focus')).waitFor()
    await tabTo(page, page.locator('.legend-toggle').first())
    await page.keyboard.press('Space')
    await page.locator('.legend-toggle[aria-pressed=false]').waitFor()

    await focus('Save')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('By the keyboard')
    await page.keyboard.press('Enter')
    await page.waitForURL(/insights\/\w{8}$/)
    await open('insights')
    await tabTo(page, page.getByRole('row', { name: /By the keyboard/ }).getByRole('link'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'By the keyboard' }).waitFor()
    await focus('More')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More' }).and(page.locator(':focus')).waitFor()
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
    await expect.poll(total).toBe('6')
    await page.getByLabel('Exclude test accounts').check()
    await expect.poll(total).toBe('4')
  })

  it('how long events are kept is set in days, asked for again, and for ever when nothing is said', async () => {
    await open('settings')
    const days = page.getByLabel('Keep events for (days)')
    const save = page.getByRole('button', { name: 'Save' }).first()
    await days.fill('1')
    await save.click()
    const day = datesBetween(TWO_DAYS_AGO, TWO_DAYS_AGO, 'UTC')
    const warning = page.getByRole('dialog', { name: 'Delete older data?' })
    await warning.getByText(`The next daily run deletes 6 events of ${day}, for good.`, { exact: false }).waitFor()
    await expect.poll(() => warning.getByRole('button', { name: 'Delete older data' }).isDisabled()).toBe(true)
    await keepScreenshot(page, 'retention-dialog')
    await warning.getByRole('button', { name: 'Cancel' }).click()
    await days.fill('400')
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
    await page.getByRole('button', { name: 'Save' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Delete older data?' })
    await dialog.getByText('Nothing is that old yet', { exact: false }).waitFor()
    await dialog.getByLabel('Type the project name: One').fill('One')
    await dialog.getByLabel('Your password').fill(OWNER.password)
    await dialog.getByRole('button', { name: 'Delete older data' }).click()
    await saved
    await page.reload()
    await settled(page)
    await expect.poll(() => days.inputValue()).toBe('400')
  })
})

describe("a project's settings, continued", () => {
  it('a time zone that there is not is said at its field', async () => {
    await open('settings')
    const zone = page.getByLabel('Time zone')
    await zone.fill('Europe/Atlantis')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page
      .locator('.field')
      .filter({ has: zone })
      .getByText('Must be an IANA time zone', { exact: false })
      .waitFor()
    await expect.poll(() => zone.getAttribute('aria-invalid')).toBe('true')
  })

  it('a project is deleted by typing its name', async () => {
    const { body } = await service.api('/api/projects/', { body: { name: 'Throwaway' } })
    await open('settings', body.id)
    await page.getByRole('button', { name: 'Delete project' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Throwaway?' })
    await keepScreenshot(page, 'delete-project')
    await dialog.getByLabel('Type the project name: Throwaway').fill('Throwaway')
    await dialog.getByLabel('Your password').fill(OWNER.password)
    await dialog.getByRole('button', { name: 'Delete project' }).click()
    await page.waitForURL((url) => !url.pathname.includes(`/project/${body.id}/`))
    await page.getByText('Throwaway is deleted.', { exact: false }).waitFor()
    await expect.poll(async () => (await service.api(`/api/projects/${body.id}/`)).status).toBe(404)
  })
})

describe('links', () => {
  it('the page that says how to send events is found from Home, from Settings and by search', async () => {
    await open('')
    for (const go of [
      () => page.getByRole('link', { name: 'How to send events' }).click(),
      async () => {
        await open('settings')
        await page.getByRole('link', { name: 'Install', exact: true }).click()
      },
      async () => {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search' }).fill('install')
        await page.getByRole('option', { name: /Install/ }).waitFor()
        await page.keyboard.press('Enter')
      },
    ]) {
      await go()
      await page.waitForURL('**/start')
      await page.getByRole('heading', { name: 'Send your first event' }).waitFor()
      await open('')
    }
  })

  it('rows of lists are links, which open in a tab of their own', async () => {
    await service.api('insights/', {
      body: { name: 'Linked', saved: true, query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }] } },
    })
    for (const [list, name] of [
      ['insights', 'Linked'],
      ['persons', 'user-4@example.com'],
    ] as const) {
      await open(list)
      const row = page.getByRole('row', { name: new RegExp(name) })
      await expect
        .poll(() => row.getByRole('link').getAttribute('href'))
        .toMatch(new RegExp(`/project/1/${list}/[\\w-]+$`))
      const [tab] = await Promise.all([
        visitor.context.waitForEvent('page'),
        row.click({ modifiers: ['ControlOrMeta'] }),
      ])
      await tab.waitForURL(`**/${list}/*`)
      await tab.close()
      expect(new URL(page.url()).pathname).toBe(`/project/1/${list}`)
    }
  })

  it('rows that open something on their page are links too', async () => {
    const { body } = await service.api('actions/', { body: { name: 'Signing up', steps: [{ event: 'signed up' }] } })
    for (const [list, opened] of [
      ['definitions', /\/definitions\?view=events&open=/],
      [`actions/${body.id}`, /\/actions\/\d+\?panels=/],
    ] as const) {
      await open(list)
      const link = page
        .getByRole('row', { name: /signed up/ })
        .first()
        .getByRole('link')
      await expect.poll(() => link.getAttribute('href')).toMatch(opened)
      await link.focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(opened)
    }
    await page.locator('.panel').getByText('signed up').first().waitFor()
  })

  it('figures of Home open what is behind them, for the dates that were chosen', async () => {
    await open('')
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await page.getByRole('button', { name: /^Last 7 days/ }).click()
    await page.waitForURL('**/project/1?from=-6d')
    await page.getByText('Last 7 days:', { exact: false }).waitFor()
    await settled(page)
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.waitForURL('**/insights/new?q=**')
    await page.getByRole('button', { name: 'Last 7 days' }).waitFor()
  })

  it('an address that there is not is said inside the frame, and outside of it to a browser', async () => {
    const wrong = visitor.problems.length
    await open('nowhere')
    await page.getByText('Page not found').waitFor()
    await page.getByRole('link', { name: 'Insights', exact: true }).first().click()
    await page.waitForURL('**/insights')
    const answer = await page.goto(`${service.url}/nope`)
    expect(answer?.status()).toBe(404)
    await page.getByText('Page not found').waitFor()
    visitor.problems.splice(wrong)
    expect((await service.api('/nope')).headers.get('content-type')).toContain('application/json')
  })

  it('the tab of a panel is in its address, and the panel fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await openInsight(SIGNUPS)
    await page.locator('.data-table-people').first().click()
    await page.getByRole('tab', { name: /Recordings/ }).click()
    await page.waitForURL(/recordings%22/)
    await page.reload()
    await page.getByRole('tab', { name: /Recordings/, selected: true }).waitFor()
    await settled(page)
    const beyond = () =>
      page.evaluate<number>(
        "[...document.querySelectorAll('.panel *')].filter((one) => one.getBoundingClientRect().right > innerWidth).length",
      )
    await expect.poll(beyond).toBe(0)
    await keepScreenshot(page, 'panel-on-a-phone')
    await page.setViewportSize({ width: 1280, height: 860 })
  })
})

describe('people', () => {
  it('are listed by when they were last seen, and headers sort', async () => {
    await service.capture({ event: 'came back', distinct_id: 'user-3' })
    const first = () => page.locator('tbody tr').first().textContent()
    await expect
      .poll(async () => {
        await open('persons')
        return first()
      })
      .toContain('user-3@')
    await page.getByRole('columnheader', { name: 'Last seen' }).getByRole('button').click()
    await page.waitForURL('**/persons?order=last_seen_at')
    await expect.poll(first).not.toContain('user-3@')
    await expect.poll(() => page.locator('th[aria-sort=ascending]').textContent()).toBe('Last seen')
    const scrolls = () => page.evaluate<boolean>('document.documentElement.scrollHeight > innerHeight')
    await expect.poll(scrolls).toBe(false)
  })

  it('have their names in Live', async () => {
    await open('live')
    await page.locator('.stream-who').filter({ hasText: 'user-3@example.com' }).first().waitFor()
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
    await expect.poll(theme).toBe('dark')
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
  })
})

describe('while the service is away', () => {
  const away = () => page.route('**/*', (route) => route.abort('connectionrefused'))
  const back = () => page.unroute('**/*')
  afterEach(back)

  it('a page says so, keeps its place, and fills itself when the service is back', async () => {
    await open('persons')
    await away()
    await page.getByLabel('Search persons').fill('user-3@example.com')
    await page.getByText('The service is not responding').waitFor()
    await page.getByRole('link', { name: 'Recordings', exact: true }).waitFor()
    await back()
    await page.getByRole('row', { name: /user-3@example.com/ }).waitFor()
  })

  it('a page whose code was never fetched says so too, and opens when the service is back', async () => {
    await page.route('**/assets/playlists-*.js', (route) => route.abort('connectionrefused'))
    await open('persons')
    await away()
    await page.getByRole('link', { name: 'Playlists', exact: true }).click()
    await page.getByText('The service is not responding').waitFor()
    expect(page.url()).toContain('/project/1/')
    await page.locator('.rail').waitFor()
    await page.unroute('**/assets/playlists-*.js')
    await back()
    await page.getByRole('heading', { name: 'Playlists' }).waitFor()
  })

  it('a change that could not be saved is still in its field', async () => {
    await open('settings/account')
    await away()
    await page.getByLabel('First name').fill('Grace')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('The service is not responding').first().waitFor()
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Grace')
    await back()
  })

  it('a session that ended leads to the sign-in page, and from there back to where one was', async () => {
    await open('persons')
    // A page that asks something learns of the end by itself and moves: what it asks is held until the session has ended.
    let letGo = () => {}
    const held = new Promise<void>((done) => {
      letGo = done
    })
    await page.route('**/api/**', (route) => held.then(() => route.continue()))
    await page.getByRole('link', { name: 'Definitions', exact: true }).click()
    await page.waitForURL('**/project/1/definitions')
    await visitor.context.clearCookies()
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
