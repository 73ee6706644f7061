import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { keepScreenshot, settled, type Visit } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'

let app: App
let service: TestService
let visitor: Visit
let page: Page
let open: App['open']
let openInsight: App['openInsight']

const DAYS_AGO = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture([
      ...Array.from({ length: 12 }, (_, i) => ({
        event: 'signed up',
        distinct_id: `user-${i}`,
        timestamp: DAYS_AGO(4),
        properties: { plan: i % 3 === 0 ? 'team' : 'free', $set: { email: `user-${i}@example.com`, city: 'Oslo' } },
      })),
      ...Array.from({ length: 5 }, (_, i) => ({ event: 'paid', distinct_id: `user-${i}`, timestamp: DAYS_AGO(3) })),
    ])
    await service.stored()
  })
  ;({ service, visitor, page, open, openInsight } = app)
})
afterAll(() => app?.close())

describe('working with the app', () => {
  it('an insight shows the numbers that the API answers, and the address carries the question', async () => {
    await open('insights/new')
    await page.getByRole('button', { name: 'Page view', exact: true }).click()
    await page.getByRole('combobox', { name: 'Events' }).fill('signed')
    await page.getByRole('option', { name: /signed up/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/signed/)
    await settled(page)
    const { body } = await service.api('query/', {
      body: {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: 'signed up' }],
          dateRange: { date_from: '-30d' },
        },
      },
    })
    const total = await page
      .getByRole('row', { name: /signed up/ })
      .getByRole('cell')
      .first()
      .textContent()
    expect(Number(total)).toBe(body.results[0].count)
    expect(Number(total)).toBe(12)

    await page.goBack()
    await page.getByRole('button', { name: 'Page view', exact: true }).waitFor()
    await page.goForward()
    await page.getByRole('button', { name: 'signed up', exact: true }).waitFor()
  })

  it('Enter before the list of events is there takes no half-typed name', async () => {
    let letGo = () => {}
    const held = new Promise<void>((done) => {
      letGo = done
    })
    await page.route('**/event_definitions/**', (route) => held.then(() => route.continue()))
    await open('insights/new')
    await page.getByRole('button', { name: 'Page view', exact: true }).click()
    await page.getByRole('combobox', { name: 'Events' }).fill('signed')
    await page.keyboard.press('Enter')
    letGo()
    await page.getByRole('option', { name: /signed up/ }).waitFor()
    expect(new URL(page.url()).search).not.toContain('signed')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'signed up', exact: true }).waitFor()
    await page.unroute('**/event_definitions/**')
  })

  it('a funnel shows how many went on and how many dropped off', async () => {
    await openInsight({ kind: 'funnel', series: [{ event: 'signed up' }, { event: 'paid' }], from: '-30d' })
    await page.getByText('7 dropped off').waitFor()
    await page.getByText('41.7%').first().waitFor()
    await keepScreenshot(page, 'funnel-numbers')
  })

  it('a property of a person is changed in place', async () => {
    await open('persons?search=user-1@example.com')
    await page.getByRole('row', { name: /user-1@example.com/ }).click()
    await page.waitForURL('**/persons/**')
    await settled(page)
    await page.getByRole('button', { name: 'Oslo' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('Bergen')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Bergen' }).waitFor()
    const { body } = await service.api('persons/?email=user-1@example.com')
    expect(body.results[0].properties.city).toBe('Bergen')
  })

  it('a person is deleted with a receipt', async () => {
    await open('persons?search=user-2@example.com')
    await page.getByRole('row', { name: /user-2@example.com/ }).click()
    await page.waitForURL('**/persons/**')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Delete the events and recordings too').click()
    await keepScreenshot(page, 'person-delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog', { name: 'Deleted' }).waitFor()
    await keepScreenshot(page, 'person-receipt')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.waitForURL('**/persons')
    const { body } = await service.api('persons/?email=user-2@example.com')
    expect(body.results).toEqual([])
    expect((await service.api('deletions/')).body.results).toHaveLength(1)
  })

  it('a key is made, shown once, and works', async () => {
    await open('settings/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('What is it for?').fill('Report')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: /Your key/ })
    const key = (await dialog.locator('pre').textContent())?.trim() ?? ''
    expect(key).toMatch(/^phx_/)
    await keepScreenshot(page, 'key-once')
    await page.getByRole('button', { name: 'Done' }).click()
    expect((await service.api('persons/', { key })).status).toBe(200)
    expect((await service.api('/api/organizations/', { key })).status).toBe(403)
    expect(await page.content()).not.toContain(key)
  })

  it('the palette leads to a page by a few letters', async () => {
    await open('')
    await page.locator('#content h1').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('liv')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/live')
  })

  it('an event without a distinct id shows up live, with the reason in words', async () => {
    await open('live')
    await page.getByText('Listening').waitFor()
    await service.capture([
      { event: 'lost', properties: {} },
      { event: 'kept', distinct_id: 'me' },
    ])
    await page.getByText('kept').waitFor()
    await page.getByText('Event without a distinct id').waitFor()
    await keepScreenshot(page, 'live-events')
  })

  it('signing out ends the session', async () => {
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.goto(`${service.url}/project/1/persons`)
    await page.waitForURL('**/sign-in?next=**')
    expect(visitor.problems.filter((problem) => !problem.startsWith('401'))).toEqual([])
  })
})
