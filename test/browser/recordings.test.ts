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
import { click, consoleLine, fullSnapshot, meta, mutation, upload } from '../support/recordings.ts'
import type { TestService } from '../support/service.ts'

let app: App
let service: TestService
let browser: TestBrowser
let visitor: Visit
let page: Page
let open: App['open']

const T0 = Date.now() - 2 * 3_600_000
const at = (seconds: number) => T0 + seconds * 1_000

const SESSIONS = [
  {
    session: 'of-ada',
    distinctId: 'ada',
    events: [
      meta(at(0), 'https://shop.example/start'),
      fullSnapshot(at(0), 'A shop for boats'),
      click(at(2)),
      consoleLine(at(3), 'error', 'no such boat'),
      mutation(at(20), 'Thank you for paying'),
      click(at(40)),
    ],
  },
  {
    session: 'of-ben',
    distinctId: 'ben',
    events: [meta(at(60), 'https://shop.example/start'), fullSnapshot(at(60), 'Ben looks'), click(at(63))],
  },
  {
    session: 'of-cem',
    distinctId: 'cem',
    events: [meta(at(120), 'https://shop.example/pricing'), fullSnapshot(at(120), 'Prices'), click(at(129))],
  },
]

beforeAll(async () => {
  app = await openApp(async (service) => {
    const event = (name: string, who: string, seconds: number, path: string) => ({
      event: name,
      distinct_id: who,
      timestamp: new Date(at(seconds)).toISOString(),
      properties: { $session_id: `of-${who}`, $pathname: path, $current_url: `https://shop.example${path}` },
    })
    await service.capture([
      event('$pageview', 'ada', 1, '/start'),
      event('paid', 'ada', 20, '/start'),
      event('$pageview', 'ben', 61, '/start'),
      event('$pageview', 'cem', 121, '/pricing'),
    ])
    for (const session of SESSIONS) await upload(service.url, session)
    await service.stored()
  })
  ;({ service, browser, visitor, page, open } = app)
})
afterAll(() => app?.close())

const rows = () => page.locator('.recording-row')
const shows = async (count: number) => {
  await page.getByText(count === 1 ? '1 recording' : `${count} recordings`, { exact: true }).waitFor()
  await settled(page)
  await expect.poll(() => rows().count()).toBe(count)
}
const position = () => page.getByRole('slider', { name: 'Position' }).inputValue().then(Number)
const frame = (on: Page = page) => on.frameLocator('.player-stage iframe')

describe('recordings', () => {
  it('are found by what happened in them; the choice is in the address and becomes a playlist', async () => {
    await open('recordings')
    await shows(3)
    await page.getByRole('button', { name: 'Event', exact: true }).click()
    await page.getByRole('combobox', { name: 'Events' }).fill('paid')
    await page.getByRole('option', { name: 'paid' }).waitFor()
    await page.keyboard.press('Enter')
    await shows(1)
    await expect.poll(() => rows().textContent()).toContain('ada')
    await page.reload()
    await shows(1)
    await page.getByText('did paid').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await shows(3)

    await page.getByLabel('With console errors').check()
    await shows(1)
    await page.getByLabel('With console errors').uncheck()
    await shows(3)
    await page.getByLabel('Length').selectOption('5')
    await shows(2)
    await page.getByLabel('Length').selectOption('0')

    await page.getByRole('button', { name: 'Page', exact: true }).click()
    await page.getByLabel("Part of the page's URL").fill('/pricing')
    await page.keyboard.press('Enter')
    await shows(1)
    await expect.poll(() => rows().textContent()).toContain('cem')
    await keepScreenshot(page, 'recordings-filtered')
    expect(await accessibilityProblems(page, 'recordings with filters')).toEqual([])

    await page.getByRole('button', { name: 'Save as playlist' }).click()
    await page.waitForURL('**/playlists/*')
    await shows(1)
    await expect.poll(() => rows().textContent()).toContain('cem')
  })

  it('play with events on the timeline and beside it, which lead to their moment', async () => {
    await open('recordings/of-ben')
    await expect.poll(() => page.getByLabel('Skip inactivity').isChecked()).toBe(true)
    // A recording that skips what is idle may be over before a busy machine has come to the button.
    await page.getByLabel('Skip inactivity').uncheck()
    await open('recordings/of-ada')
    await frame().getByText('A shop for boats').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Skip inactivity').check()
    await expect.poll(() => page.locator('.timeline-mark').count()).toBe(2)
    await expect.poll(() => page.locator('.timeline-idle').count()).toBeGreaterThan(0)
    await page
      .getByRole('complementary', { name: 'Events in this recording' })
      .getByRole('button', { name: /paid/ })
      .click()
    await page.waitForFunction('Math.abs(document.querySelector(".timeline-range").value - 19000) < 500')
    await page.getByRole('button', { name: 'Forward 5 seconds' }).click()
    await frame().getByText('Thank you for paying').waitFor()
    expect(await position()).toBeGreaterThan(20_000)
    await page.locator('.timeline-mark').first().click()
    await frame().getByText('A shop for boats').waitFor()
    await page.getByText('4×').click()
    await keepScreenshot(page, 'player-paused')
    expect(await accessibilityProblems(page, 'recording')).toEqual([])

    await page.locator('h1').click()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('button', { name: 'Play again' }).waitFor()
    await service.waitFor(async () => (await service.api('session_recordings/of-ada/')).body.viewed === true)
  })

  it('have all that can be done with them in one row on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await open('recordings/of-ada')
    const rows = await page
      .locator('.page-actions .button')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
    await page.setViewportSize({ width: 1280, height: 860 })
    expect(rows.length).toBeGreaterThan(3)
    expect(new Set(rows).size).toBe(1)
  })

  it('are put into a playlist that is made on the way, and taken out again', async () => {
    await open('recordings/of-ada')
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.getByLabel('Name of a new playlist').fill('Best of')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Added to Best of').waitFor()
    const entry = page.getByRole('button', { name: 'Best of' })
    await entry.and(page.locator('[aria-pressed="true"]')).waitFor()
    await entry.click()
    await page.getByText('Removed from Best of').waitFor()
    await entry.and(page.locator('[aria-pressed="false"]')).waitFor()
    await entry.click()
    await entry.and(page.locator('[aria-pressed="true"]')).waitFor()
    const { results } = (await service.api('session_recording_playlists/?search=Best')).body
    await service.api(`session_recording_playlists/${results[0].short_id}/recordings/of-ben/`, { method: 'POST' })
    await open(`playlists/${results[0].short_id}`)
    await shows(2)
  })

  it('of a playlist follow each other by N, at the speed that was chosen before', async () => {
    await page.getByRole('link', { name: 'Play all' }).click()
    await page.waitForURL('**/recordings/**')
    const first = page.url()
    // There is a second one once it has been played.
    await page.getByRole('link', { name: /^Next/ }).first().waitFor()
    await expect.poll(() => page.getByRole('radio', { name: '4×' }).isChecked()).toBe(true)
    await page.keyboard.press('n')
    await page.waitForURL((url) => url.toString() !== first)
    await page.getByRole('tab', { name: 'Playlist · 2 of 2' }).click()
    await expect.poll(() => page.locator('.recording-side .recording-row').count()).toBe(2)
    await page.goto(first)
    await settled(page)
  })

  it('are seen by others through a public link, until it is revoked', async () => {
    await page.getByRole('link', { name: 'Playlists' }).first().click()
    await page.getByRole('row', { name: /Best of/ }).click()
    await page.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this playlist' })
    await dialog.getByLabel('Link is valid').selectOption('1')
    await dialog.getByRole('button', { name: 'Create public link' }).click()
    const link = (await dialog.locator('pre').textContent()) ?? ''
    expect(link).toContain(`${service.url}/shared/`)
    await dialog.getByRole('button', { name: 'Revoke' }).waitFor()
    await keepScreenshot(page, 'share-dialog')
    expect(await accessibilityProblems(page, 'share dialog')).toEqual([])

    const stranger = await visit(browser, { theme: 'dark' })
    await stranger.page.goto(link)
    await stranger.page.getByRole('heading', { name: 'Best of' }).waitFor()
    await frame(stranger.page).locator('body').waitFor()
    const playing = stranger.page.getByRole('button', { name: 'Pause' })
    await playing.or(stranger.page.getByRole('button', { name: 'Play again' })).waitFor()
    await expect.poll(() => stranger.page.locator('.shared-item').count()).toBe(2)
    expect(await stranger.page.locator('body').textContent()).not.toMatch(/\bada\b/)
    await keepScreenshot(stranger.page, 'shared-playlist')
    expect(await accessibilityProblems(stranger.page, 'shared page')).toEqual([])
    expect(stranger.problems).toEqual([])

    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByText('There are no active links.').waitFor()
    await stranger.page.reload()
    await stranger.page.getByText('This link does not work').waitFor()
    await keepScreenshot(stranger.page, 'shared-revoked')
    await stranger.context.close()
  })

  it('are deleted for good after a question', async () => {
    await open('recordings/of-cem')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/recordings')
    await shows(2)
    expect((await service.api('session_recordings/of-cem/')).status).toBe(404)
    expect(visitor.problems).toEqual([])
  })
})
