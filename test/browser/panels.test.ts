import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'

let demo: App
let page: Page

beforeAll(async () => {
  demo = await openDemo({ visitors: 700, recordings: 20 })
  page = demo.page
})
afterAll(() => demo?.close())

const FUNNEL = { kind: 'funnel', series: [{ event: 'signed up' }, { event: 'imported tasks' }], from: '-7d' }
describe('every number opens the people behind it', () => {
  it('a drop-off leads to its people, their recordings, a playlist and the player', async () => {
    await demo.openInsight(FUNNEL)
    const dropped = page.getByRole('button', { name: /^\d+ dropped off$/ })
    const count = Number((await dropped.textContent())?.match(/\d+/)?.[0])
    await dropped.click()
    const panel = page.getByRole('complementary', { name: 'Dropped off before imported tasks' })
    await panel.getByText(`${count} people`).waitFor()
    await expect.poll(() => panel.locator('.people-row').count()).toBe(count)
    await keepScreenshot(page, 'panel-people')
    expect(await accessibilityProblems(page, 'people behind a number')).toEqual([])

    await panel.getByRole('tab', { name: /^Recordings/ }).click()
    await panel.locator('.recording-row').first().waitFor()
    await keepScreenshot(page, 'panel-recordings')
    await panel.getByRole('button', { name: 'Save as playlist' }).click()
    await page.waitForURL('**/playlists/**')
    await settled(page)
    await page.getByRole('heading', { name: 'Dropped off before imported tasks' }).waitFor()
    await page.getByRole('link', { name: 'Play all' }).waitFor()
    await expect.poll(() => page.locator('.recording-row').count()).toBeGreaterThan(1)
    await keepScreenshot(page, 'playlist')
    expect(await accessibilityProblems(page, 'playlist')).toEqual([])

    await page.getByRole('link', { name: 'Play all' }).click()
    await page.waitForURL('**/recordings/**')
    await page.frameLocator('.player-stage iframe').getByText('Import tasks').waitFor()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('complementary', { name: 'Events in this recording' }).getByText('import failed').waitFor()
    await keepScreenshot(page, 'player')
    expect(await accessibilityProblems(page, 'recording')).toEqual([])
    const first = page.url()
    // There is a second one once it has been played.
    await page.getByRole('link', { name: /^Next/ }).first().waitFor()
    await page.keyboard.press('n')
    await page.waitForURL((url) => url.toString() !== first)
    await page.frameLocator('.player-stage iframe').getByText('Import tasks').waitFor()
  })

  it('panels stack, each with its own address, and Esc goes back', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' })
    await page.locator('.data-table-people').first().click()
    await page.locator('.people-row').first().click()
    await page.getByRole('complementary', { name: 'Person' }).getByText('Properties').waitFor()
    await page.reload()
    await page.getByRole('complementary', { name: 'Person' }).getByText('Properties').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.people-row').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: /signed up/ }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.has('panels')).toBe(false)
  })

  it.each([
    ['a correlation', FUNNEL, '.odds-row .link-button:enabled'],
    ['a path', { kind: 'paths', series: [], pathTypes: ['$pageview'], from: '-30d' }, '.data-table-people'],
    [
      'a lifecycle',
      { kind: 'lifecycle', series: [{ event: 'completed task' }], interval: 'week', from: '-30d' },
      '.data-table-people >> nth=1',
    ],
    ['stickiness', { kind: 'stickiness', series: [{ event: 'completed task' }], from: '-30d' }, '.data-table-people'],
  ])('%s leads to its people', async (_name, draft, panel) => {
    await demo.openInsight(draft)
    await page.locator(panel).first().click()
    await page.locator('.people-row').first().waitFor()
  })

  it('a cell of the retention grid leads to exactly those who came back then', async () => {
    await demo.openInsight({
      kind: 'retention',
      series: [{ event: 'signed up' }],
      returning: 'completed task',
      period: 'Week',
    })
    const cell = page.locator('.retention tbody tr:not(.retention-average)').first().locator('.heat').nth(1)
    const count = Number(((await cell.getAttribute('title')) ?? '').split(' of ')[0])
    expect(count).toBeGreaterThan(0)
    await cell.click()
    const panel = page.getByRole('complementary', { name: /^Started .*, returned in week 1$/ })
    await panel.locator('.people-row').first().waitFor()
    // Grey rows stand there until the people come.
    await settled(page)
    await expect.poll(() => panel.locator('.people-row').count()).toBe(count)
  })

  it('a click into the chart leads to the people of the nearest point', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' })
    await page.locator('.chart canvas').click()
    const panel = page.getByRole('complementary', { name: /^signed up, \d+ \w{3}$/ })
    await panel.locator('.people-row').first().waitFor()
    const day = ((await panel.getAttribute('aria-label')) ?? '').split(', ')[1] ?? ''
    const days = (await page.locator('.data-table thead th').allTextContents()).map((title) =>
      title.replace(' so far', ''),
    )
    const numbers = await page.locator('.data-table tbody tr').first().locator('th, td').allTextContents()
    const people = Number(numbers[days.indexOf(day)])
    await expect.poll(() => panel.locator('.people-row').count()).toBe(people)
  })

  it.each(['ranking', 'pie', 'number'])('a total in a %s leads to its people', async (display) => {
    const rows = { ranking: '.ranking-row', pie: '.pie-part', number: '.number-face' }[display] ?? ''
    await demo.openInsight({
      kind: 'trends',
      series: [{ event: 'signed up' }],
      from: '-30d',
      display,
      ...(display === 'number' ? {} : { breakdown: { property: '$browser', type: 'event' } }),
    })
    await page.locator(rows).first().click()
    await page.locator('.people-row').first().waitFor()
  })

  it('nothing went wrong on the way', () => {
    expect(demo.visitor.problems).toEqual([])
  })
})
