import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled, signIn, visit } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'
import type { TestService } from '../support/service.ts'

let demo: App
let service: TestService
let page: Page

beforeAll(async () => {
  demo = await openDemo({ visitors: 300 })
  service = demo.service
  page = demo.page
})
afterAll(() => demo?.close())

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

/** By the pointer, in several steps as a hand does. */
async function drag(page: Page, handle: Locator, by: { x: number; y: number }): Promise<void> {
  // Waits until it stands still.
  await handle.hover()
  const box = await handle.boundingBox()
  if (!box) throw new Error('nothing to take hold of')
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 8 })
  await page.mouse.up()
}

describe('saved insights and dashboards', () => {
  it('a dashboard is made', async () => {
    await page.goto(`${service.url}/project/1/dashboards`)
    await settled(page)
    await page.getByRole('button', { name: 'New dashboard' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Overview')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/dashboards/*')
    await page.getByText('This dashboard is empty').waitFor()
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
      await page.getByRole('menuitem', { name: 'Overview' }).click()
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
    const { body } = await service.api('dashboards/?search=Overview')
    await page.goto(`${service.url}/project/1/dashboards/${body.results[0].id}`)
    await settled(page)
    await expect.poll(() => page.locator('.tile').count()).toBe(6)
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

  it('a tile follows the pointer by its handle and grows by its corner', async () => {
    const { body } = await service.api('dashboards/?search=Overview')
    const { id } = body.results[0]
    await demo.open(`dashboards/${id}`)
    await page.getByRole('button', { name: 'Arrange' }).click()
    const tile = page.getByRole('region', { name: 'Signups a day' })
    const layout = async () => {
      const { body: dashboard } = await service.api(`dashboards/${id}/`)
      return dashboard.tiles.find(({ insight }: { insight: { name: string } }) => insight.name === 'Signups a day')
        .layouts.sm
    }
    const before = await layout()
    expect(before).toMatchObject({ x: 0, w: 6 })
    const column = ((await page.locator('.grid').boundingBox())?.width ?? 0) / 12

    await drag(page, tile.getByRole('button', { name: /^Move/ }), { x: column * 6, y: 0 })
    await expect.poll(layout).toMatchObject({ x: 6, w: 6, h: before.h })
    await drag(page, tile.locator('.tile-corner'), { x: -column * 2, y: 88 })
    await expect.poll(layout).toMatchObject({ x: 6, w: 4, h: before.h + 1 })
    await keepScreenshot(page, 'dashboard-arranging')
    expect(await accessibilityProblems(page, 'dashboard while arranging')).toEqual([])
  })

  it('annotations of the dashboard and of the project are on its tiles, not on those of another, also when they come late', async () => {
    const { body } = await service.api('dashboards/?search=Overview')
    const { id } = body.results[0]
    const date_marker = new Date(Date.now() - 3 * 86_400_000).toISOString()
    const note = async (content: string, where: object) =>
      (await service.api('annotations/', { body: { content, date_marker, ...where } })).body.id as number
    const { body: elsewhere } = await service.api('dashboards/', { body: { name: 'Elsewhere' } })
    const made = [
      await note('Of this dashboard', { scope: 'dashboard', dashboard_id: id }),
      await note('Of another dashboard', { scope: 'dashboard', dashboard_id: elsewhere.id }),
      await note('Of the project', { scope: 'project' }),
    ]
    let bring = () => {}
    const mayCome = new Promise<void>((resolve) => {
      bring = resolve
    })
    await page.route('**/annotations/**', async (route) => {
      await mayCome
      await route.continue()
    })
    await demo.open(`dashboards/${id}`)
    const chart = page.getByRole('region', { name: 'Signups a day' }).getByRole('application')
    await chart.focus()
    for (const key of ['End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key)
    // The chart is drawn again with them, and goes on showing the point.
    bring()
    const tip = page.locator('.tip-note').filter({ visible: true })
    expect(((await tip.textContent()) ?? '').split('\n').toSorted()).toEqual(['Of the project', 'Of this dashboard'])
    await page.unroute('**/annotations/**')
    for (const each of made) await service.api(`annotations/${each}/`, { method: 'PATCH', body: { deleted: true } })
    await service.api(`dashboards/${elsewhere.id}/`, { method: 'PATCH', body: { deleted: true } })
  })

  it('other dates hold for all tiles, stand in the address, and go again', async () => {
    const { body } = await service.api('dashboards/?search=Overview')
    await demo.open(`dashboards/${body.results[0].id}`)
    const asked = page.waitForRequest((request) => request.postData()?.includes('"date_from":"-13d"') === true)
    await page.getByRole('button', { name: 'Dates of each insight' }).click()
    await page.getByRole('button', { name: 'Last 14 days' }).click()
    await asked
    expect(new URL(page.url()).searchParams.get('from')).toBe('-13d')
    const again = page.waitForRequest((request) => request.postData()?.includes('"date_from":"-13d"') === true)
    await settled(page)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await again
    await page.getByRole('button', { name: 'Clear dates' }).click()
    await page.getByRole('button', { name: 'Dates of each insight' }).waitFor()
  })

  it.each([
    ['as saved', null],
    ['as small as they get', { w: 3, h: 3 }],
  ])('tiles %s show everything they draw, without scrollbars', async (_, size) => {
    const { body } = await service.api('dashboards/?search=Overview')
    const path = `dashboards/${body.results[0].id}/`
    const { tiles } = (await service.api(path)).body
    const place = (layouts: (index: number) => unknown) =>
      service.api(path, {
        method: 'PATCH',
        body: { tiles: tiles.map(({ id }: { id: number }, index: number) => ({ id, layouts: layouts(index) })) },
      })
    if (size) await place((index) => ({ sm: { ...size, x: (index % 4) * 3, y: Math.floor(index / 4) * 3 } }))
    await demo.open(path.slice(0, -1))
    await page.locator('.fitted').first().waitFor()
    const overflowing = () =>
      page.evaluate<string[]>(`
      [...document.querySelectorAll('.tile')].flatMap((tile) => {
        const body = tile.querySelector('.tile-body')
        const within = body.getBoundingClientRect()
        const scrolls = [body, ...body.querySelectorAll('*')].some((one) => {
          const { overflowX, overflowY } = getComputedStyle(one)
          return (/auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth + 1) ||
            (/auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight + 1)
        })
        const cut = [...body.querySelectorAll('.chart, .legend, .legend-item, .funnel-step, .funnel-row, .heat, .ranking-row')]
          .some((one) => {
            const { right, bottom } = one.getBoundingClientRect()
            return right > within.right + 1 || bottom > within.bottom + 1
          })
        return scrolls || cut ? [tile.getAttribute('aria-label') + (scrolls ? ' scrolls' : ' is cut')] : []
      })`)
    await expect.poll(overflowing).toEqual([])
    const funnel = page.getByRole('region', { name: 'From visit to board' })
    await expect.poll(() => funnel.locator('.funnel-step, .funnel-row').count()).toBe(3)
    await keepScreenshot(page, size ? 'dashboard-small-tiles' : 'dashboard-tiles')
    expect(await accessibilityProblems(page, 'tiles')).toEqual([])
    if (size) await place((index) => tiles[index].layouts)
  })

  it('texts, insights and recordings are added from the dashboard, and conditions hold for all tiles', async () => {
    await page.goto(`${service.url}/project/1/dashboards`)
    await settled(page)
    await page.getByRole('button', { name: 'New dashboard' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('From a template')
    await page.getByLabel(/^Marketing/).check()
    await keepScreenshot(page, 'dashboard-templates')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/dashboards/*')
    await page.getByRole('region', { name: 'Campaigns' }).waitFor()
    const add = async (what: string) => {
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('menuitem', { name: what }).click()
    }
    await add('Text')
    await page.getByRole('textbox', { name: 'Text' }).fill('# Read me\nWhat this is about')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Read me' }).waitFor()
    await add('Insight')
    await page.getByRole('combobox', { name: 'Saved insights' }).fill('Signups a day')
    await page.getByRole('option', { name: 'Signups a day' }).click()
    await page.getByRole('region', { name: 'Signups a day' }).waitFor()
    await add('Recordings')
    await page.getByRole('region', { name: 'Latest recordings' }).getByText('No recordings in this period.').waitFor()
    await settled(page)
    expect(await accessibilityProblems(page, 'a dashboard with all kinds of tiles')).toEqual([])

    const asked = page.waitForRequest((request) => (request.postData() ?? '').includes('"value":["Firefox"]'))
    await page.getByRole('button', { name: 'Filter all tiles' }).click()
    await page.getByRole('combobox', { name: 'Properties' }).fill('browser')
    await page
      .getByRole('option', { name: /^Browser/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Firefox', exact: true }).click()
    await asked
    await page.keyboard.press('Escape')
    expect(page.url()).toContain('Firefox')
    await page.getByLabel('Auto refresh').selectOption('5')
    await page.waitForURL(/every=5/)
    await keepScreenshot(page, 'dashboard-all-tiles')

    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'From a template (copy)' }).waitFor()
    await page.getByRole('heading', { name: 'Read me' }).waitFor()
    await expect.poll(() => page.locator('.tile').count()).toBe(7)
  })

  it('is pinned to Home, and taken down again', async () => {
    const { body } = await service.api('dashboards/?search=Overview')
    await demo.open(`dashboards/${body.results[0].id}`)
    await page.getByRole('button', { name: 'Pin to Home' }).click()
    await page.getByRole('button', { name: 'Unpin from Home', pressed: true }).waitFor()
    await page.getByText('Home shows this dashboard now').waitFor()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Open Signups a day' }).waitFor()
    await service.api(`dashboards/${body.results[0].id}/`, { method: 'PATCH', body: { pinned: false } })
  })

  it('a series has the colour of its name in every browser, whatever was drawn there before', async () => {
    const coloursIn = (where: Page, names: readonly string[]) =>
      Promise.all(
        names.map((name) =>
          where
            .locator('.data-table tbody tr', { hasText: name })
            .locator('.data-table-dot')
            .evaluate((dot) => (dot as unknown as { style: { background: string } }).style.background),
        ),
      )
    const names = ['signed up', 'created board', 'completed task', 'invited teammate', 'imported tasks']
    const series = names.map((event) => ({ event }))
    await demo.openInsight({ kind: 'trends', series, from: '-30d' })
    const here = await coloursIn(page, names)
    expect(new Set(here).size).toBe(names.length)
    const other = await visit(demo.browser)
    await signIn(other, service.url)
    const draft = JSON.stringify({ kind: 'trends', series: series.toReversed(), from: '-30d' })
    await other.page.goto(`${service.url}/project/1/insights/new?q=${encodeURIComponent(draft)}`)
    await settled(other.page)
    await expect.poll(() => coloursIn(other.page, names)).toEqual(here)
    await other.context.close()
  })

  it('a tile is taken off, and its insight stays', async () => {
    const { body } = await service.api('dashboards/?search=Overview')
    await demo.open(`dashboards/${body.results[0].id}`)
    await page.getByRole('button', { name: 'Arrange' }).click()
    const remove = page.getByRole('button', { name: 'Remove Paths of visitors from this dashboard' })
    await remove.click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await remove.click()
    await page.getByRole('region', { name: 'Paths of visitors' }).waitFor({ state: 'detached' })
    const tiles = async () => (await service.api(`dashboards/${body.results[0].id}/`)).body.tiles.length
    await expect.poll(tiles).toBe(5)
    expect((await service.api('insights/?search=Paths of visitors')).body.results).toHaveLength(1)
  })

  it('is deleted at once, and comes back by Undo with its tiles', async () => {
    const { body } = await service.api('dashboards/?search=Overview')
    const { id } = body.results[0]
    await demo.open(`dashboards/${id}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.waitForURL('**/dashboards')
    await expect.poll(async () => (await service.api(`dashboards/${id}/`)).status).toBe(404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: /Overview/ }).click()
    await page.waitForURL(`**/dashboards/${id}`)
    await page.getByRole('region', { name: 'How sticky' }).waitFor()
    await expect.poll(async () => (await service.api(`dashboards/${id}/`)).body.tiles).toHaveLength(5)
  })

  it('what was viewed last stands on the home page, and favourites in their list', async () => {
    const { body } = await service.api('insights/?search=How sticky')
    const viewed = page.waitForResponse((answer) => answer.url().includes('/viewed') && answer.ok())
    await page.goto(`${service.url}/project/1/insights/${body.results[0].short_id}`)
    await viewed
    await page.goto(`${service.url}/project/1`)
    await settled(page)
    await page.getByRole('link', { name: 'How sticky' }).click()
    await page.waitForURL(/insights\/\w{8}$/)
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.getByRole('button', { name: 'Remove from favourites' }).waitFor()
    // The page shows it before it is kept.
    await settled(page)
    await page.goto(`${service.url}/project/1/insights?view=favourites`)
    await page.getByRole('row', { name: /How sticky/ }).waitFor()
    await settled(page)
    await keepScreenshot(page, 'insights-saved')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(demo.visitor.problems).toEqual([])
  })

  it('a second click on a star, before the first is kept, follows it', async () => {
    await page.getByRole('row', { name: /How sticky/ }).click()
    const asked: unknown[] = []
    let letThrough = () => {}
    const held = new Promise<void>((done) => {
      letThrough = done
    })
    await page.route('**/insights/*/', async (route) => {
      if (route.request().method() === 'PATCH') {
        asked.push(route.request().postDataJSON())
        await held
      }
      await route.continue()
    })
    const star = (name: string, pressed: boolean) => page.getByRole('button', { name, pressed })
    await star('Remove from favourites', true).click()
    await star('Add to favourites', false).click()
    await star('Remove from favourites', true).waitFor()
    await expect.poll(() => asked).toEqual([{ favorited: false }])
    letThrough()
    await settled(page)
    await star('Remove from favourites', true).waitFor()
    expect(asked).toEqual([{ favorited: false }, { favorited: true }])
    await page.unroute('**/insights/*/')
  })
})
