import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { story } from '../../src/demo/index.ts'
import {
  accessibilityProblems,
  keepScreenshot,
  openBrowser,
  settled,
  signIn,
  type Visit,
  visit,
} from '../support/browser.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
let visitor: Visit
let page: Page

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startTestService(), openBrowser()])
  const events = story({ end: Date.now(), visitors: 250 })
  const batch = events.map(({ at, ...event }) => ({ ...event, timestamp: new Date(at).toISOString() }))
  for (let i = 0; i < batch.length; i += 500) await service.capture(batch.slice(i, i + 500))
  await service.waitFor(
    async () => ((await service.api('events/?event=upgraded plan&limit=1')).body?.results?.length ?? 0) > 0,
  )
  visitor = await visit(browser)
  page = visitor.page
  await signIn(visitor, service.url)
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const KINDS: Record<string, object> = {
  'Signups a day': { kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' },
  'From visit to board': {
    kind: 'funnel',
    series: [{ event: '$pageview' }, { event: 'signed up' }, { event: 'created board' }],
    from: '-30d',
  },
  'Weekly retention': {
    kind: 'retention',
    series: [{ event: 'signed up' }],
    returning: 'completed task',
    period: 'Week',
  },
  'Paths of visitors': { kind: 'paths', series: [], pathTypes: ['$pageview'], from: '-30d' },
  'Lifecycle of users': { kind: 'lifecycle', series: [{ event: 'completed task' }], interval: 'week', from: '-30d' },
  'How sticky': { kind: 'stickiness', series: [{ event: 'completed task' }], from: '-30d' },
}

describe('saved insights and dashboards', () => {
  it('a dashboard is made', async () => {
    await page.goto(`${service.url}/project/1/dashboards`)
    await settled(page)
    await page.getByRole('button', { name: 'New dashboard' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Overview')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/dashboards/*')
    await page.getByText('Nothing on it yet').waitFor()
  })

  it.each(Object.entries(KINDS))(
    '%s is saved, opens again as it was, and goes onto the dashboard',
    async (name, draft) => {
      await page.goto(`${service.url}/project/1/insights/new?q=${encodeURIComponent(JSON.stringify(draft))}`)
      await settled(page)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill(name)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/insights\/\w{8}$/)
      await page.getByRole('heading', { name }).waitFor()
      await page.getByRole('button', { name: 'Add to dashboard' }).click()
      await page.getByRole('button', { name: 'Overview' }).click()
      await page.getByText('Added to Overview').last().waitFor()
      const shortId = page.url().split('/').pop()
      const { body } = await service.api(`insights/?short_id=${shortId}`)
      expect(body.results[0]).toMatchObject({
        name,
        saved: true,
        query: { kind: 'InsightVizNode', footfallDraft: draft },
      })
      expect(body.results[0].dashboards).toHaveLength(1)
    },
  )

  it('the dashboard shows them all, and stays as it was arranged', async () => {
    const { body } = await service.api('dashboards/')
    await page.goto(`${service.url}/project/1/dashboards/${body.results[0].id}`)
    await settled(page)
    expect(await page.locator('.tile').count()).toBe(6)
    expect(await accessibilityProblems(page, 'dashboard')).toEqual([])
    await keepScreenshot(page, 'dashboard')
    await page.getByRole('button', { name: 'Arrange' }).click()
    const handle = page.getByRole('region', { name: 'Signups a day' }).getByRole('button', { name: /^Move/ })
    await handle.focus()
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
    await page.keyboard.press('Shift+ArrowDown')
    await saved
    await page.reload()
    await settled(page)
    const { body: dashboard } = await service.api(`dashboards/${body.results[0].id}/`)
    const tile = dashboard.tiles.find(({ insight }: { insight: { name: string } }) => insight.name === 'Signups a day')
    expect(tile.layouts.sm.h).toBe(6)
  })

  it('what was viewed last stands on the home page, and favourites in their list', async () => {
    await page.goto(`${service.url}/project/1`)
    await settled(page)
    await page.getByRole('link', { name: 'How sticky' }).click()
    await page.waitForURL(/insights\/\w{8}$/)
    await page.getByRole('button', { name: 'Make it a favourite' }).click()
    await page.getByRole('button', { name: 'No longer a favourite' }).waitFor()
    await page.goto(`${service.url}/project/1/insights?view=favourites`)
    await page.getByRole('row', { name: /How sticky/ }).waitFor()
    await settled(page)
    await keepScreenshot(page, 'insights-saved')
    expect(await page.getByRole('row').count()).toBe(2)
    expect(visitor.problems).toEqual([])
  })
})
