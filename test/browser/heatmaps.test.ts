import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled, signIn, type TestBrowser, visit } from '../support/browser.ts'
import { type TestService, TOKENS } from '../support/service.ts'

/** A site with posthog-js, visited in Chromium; its visits, and its heatmaps over what was recorded of it. */
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const SHOP = (host: string) => `<!doctype html><title>Prices</title>
<style>body{margin:0;font:18px sans-serif}header{background:#123;color:#fff;padding:30px}section{height:700px;padding:30px}
button{position:absolute;left:500px;top:300px;width:200px;height:60px}</style>
<header>A shop for boats</header><section>What boats cost<button id="buy">Buy a boat</button></section><section>More boats</section>
<section>The end of the page</section>
<script src="${host}/static/array.js"></script>
<script>posthog.init('${TOKENS.one}',{api_host:'${host}',opt_out_useragent_filter:true,capture_pageleave:true,
capture_performance:{web_vitals:true,web_vitals_delayed_flush_ms:500}})</script>`
const SMALL = (host: string) => `<!doctype html><title>Small</title><main style="height:3000px">Words
<a id="out" href="https://elsewhere.invalid/">elsewhere</a></main>
<script defer src="${host}/static/footfall.js" data-key="${TOKENS.two}"></script>`

let app: App
let site: Server
let siteUrl: string
let page: Page

beforeAll(async () => {
  app = await openApp(async () => {})
  const host = app.service.url
  site = createServer((request, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end(request.url?.startsWith('/prices') ? SHOP(host) : SMALL(host))
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  page = app.page
  await visitShop(app.browser)
  await visitSmall(app.browser)
})
afterAll(async () => {
  site?.close()
  await app?.close()
})

const person = async (browser: TestBrowser, viewport: { width: number; height: number }) => {
  const context = await browser.newContext({ userAgent: CHROME, viewport })
  // A program drives this browser, and says so: such visits are those of bots.
  await context.addInitScript('Object.defineProperty(navigator, "webdriver", { get: () => false })')
  return context
}

const resultsOf = async (path: string, project = 1) =>
  (await app.service.api(`/api/projects/${project}/${path}`)).body.results ?? []

async function visitShop(browser: TestBrowser): Promise<void> {
  const context = await person(browser, { width: 1200, height: 800 })
  const tab = await context.newPage()
  await tab.goto(`${siteUrl}/prices?utm_source=letter`)
  await tab.waitForFunction('window.posthog?.sessionRecording?.started || window.posthog?.sessionRecordingStarted?.()')
  await tab.mouse.move(300, 200)
  await tab.mouse.click(600, 330)
  await tab.waitForTimeout(200)
  await tab.evaluate('scrollTo(0, 600)')
  await app.service.waitFor(async () => (await resultsOf('session_recordings/')).length > 0, 'the recording')
  await tab.mouse.move(320, 210)
  await app.service.waitFor(async () => (await resultsOf('heatmaps/?type=click')).length > 0, 'the click')
  await tab.goto(`${siteUrl}/prices/more`)
  await app.service.waitFor(async () => (await resultsOf('heatmaps/?type=scrolldepth')).length > 0, 'the scroll depth')
  await app.service.waitFor(async () => (await resultsOf('events/?event=$web_vitals')).length > 0, 'the web vitals')
  await app.service.waitFor(async () => (await resultsOf('events/?event=$pageview')).length === 2, 'both views')
  await context.close()
}

async function visitSmall(browser: TestBrowser): Promise<void> {
  const context = await person(browser, { width: 400, height: 800 })
  const tab = await context.newPage()
  await context.route('https://elsewhere.invalid/**', (route) => route.abort())
  await tab.goto(`${siteUrl}/small?utm_campaign=spring`)
  await app.service.waitFor(async () => (await resultsOf('events/?event=$pageview', 2)).length === 1, 'the first view')
  // Until the page has been told of it, and with it the snippet, which listened before.
  await tab.evaluate(
    'new Promise((done) => { addEventListener("scroll", () => done(), { once: true }); scrollTo(0, 3000) })',
  )
  await tab.evaluate('history.pushState({}, "", "/next")')
  await app.service.waitFor(async () => (await resultsOf('events/?event=$pageview', 2)).length === 2, 'both views')
  await tab.evaluate(
    'footfall.capture("asked", { about: "boats" }); document.getElementById("out").addEventListener("click", (e) => e.preventDefault())',
  )
  await tab.click('#out')
  await app.service.waitFor(async () => (await resultsOf('events/?event=$autocapture', 2)).length === 1, 'the link')
  await context.close()
}

const ask = async (service: TestService, query: object, project: number) =>
  (
    await service.api(`/api/projects/${project}/query/`, {
      method: 'POST',
      body: { query, refresh: 'force_blocking' },
    })
  ).body
const overview = async (project: number) => {
  const body = await ask(app.service, { kind: 'WebOverviewQuery', dateRange: { date_from: '-1d' } }, project)
  return Object.fromEntries(body.results.map(({ key, value }: { key: string; value: number }) => [key, value]))
}
const sqlRow = async (sql: string, project: number) =>
  (await ask(app.service, { kind: 'HogQLQuery', query: sql }, project)).results[0]

describe('a visit in a real browser', () => {
  it.each([
    ['posthog-js', 1],
    // What a page sends while it closes has Chromium's own name, which is that of a bot.
    ['footfall.js', 2],
  ])('is counted by web analytics as the events of %s say', async (_, project) => {
    const [visitors, views, sessions] = await sqlRow(
      `SELECT uniq(person_id), countIf(event = '$pageview'), uniq($session_id) FROM events
       WHERE $session_id != '' AND properties.$is_bot IS NULL`,
      project,
    )
    expect(await overview(project)).toMatchObject({ visitors, views, sessions })
    expect([visitors, views, sessions]).toEqual([1, 2, 1])
  })

  it('has its pages, scroll depth and bounce', async () => {
    const table = { kind: 'WebStatsTableQuery', breakdownBy: 'Page', includeScrollDepth: true, includeBounceRate: true }
    const { columns, results } = await ask(app.service, { ...table, dateRange: { date_from: '-1d' } }, 2)
    const row = results.find(([path]: [string]) => path === '/small')
    const at = columns.findIndex((name: string) => /scroll/i.test(name))
    const [scrolled] = await sqlRow(
      `SELECT avg(toFloat(properties.$prev_pageview_max_content_percentage)) FROM events
       WHERE properties.$prev_pageview_pathname = '/small'`,
      2,
    )
    expect(row[at][0]).toBeCloseTo(scrolled)
    expect(scrolled).toBeGreaterThan(0.9)
    expect((await overview(2))['bounce rate']).toBe(0)
  })

  it('has its web vitals', async () => {
    const node = { kind: 'WebVitalsPathBreakdownQuery', metric: 'FCP', percentile: 'p75', thresholds: [0, 100_000] }
    const { results } = await ask(app.service, { ...node, dateRange: { date_from: '-1d' } }, 1)
    const [value] = await sqlRow(
      `SELECT quantile(0.75)(toFloat(properties.$web_vitals_FCP_value)) FROM events
       WHERE event = '$web_vitals' AND properties.$pathname = '/prices' AND properties.$web_vitals_FCP_value != ''`,
      1,
    )
    const found = results[0].needs_improvements.find(({ path }: { path: string }) => path.endsWith('/prices'))
    expect(found.value).toBeCloseTo(value)
  })

  it('sends links that lead outside, and what the page captures', async () => {
    const [link] = await resultsOf('events/?event=$autocapture', 2)
    expect(link.properties.$external_click_url).toBe('https://elsewhere.invalid/')
    const [asked] = await resultsOf('events/?event=asked', 2)
    expect(asked.properties).toMatchObject({ about: 'boats', $lib: 'footfall' })
  })
})

describe('the page of heatmaps', () => {
  const framed = () => page.frameLocator('.heatmap-frame iframe').getByText('A shop for boats')
  /** Whether the canvas has colour near a place of the page, in its pixels. */
  const heatAt = (x: number, y: number) =>
    page.evaluate<number>(`(() => {
      const canvas = document.querySelector('.heatmap-canvas')
      const context = canvas.getContext('2d')
      return context.getImageData(Math.round(${x} / 2) - 3, Math.round(${y} / 2) - 3, 6, 6).data.filter((_, i) => i % 4 === 3).reduce((a, b) => Math.max(a, b), 0)
    })()`)

  it('shows where people clicked on the page itself, out of a recording', async () => {
    await app.open('heatmaps')
    await framed().waitFor()
    await page.getByText(/The page as recorded on .*, 1200 px wide/).waitFor()
    await expect.poll(() => heatAt(600, 330)).toBeGreaterThan(0)
    await expect.poll(() => heatAt(100, 600)).toBe(0)
    expect(
      await page.evaluate('document.querySelector(".heatmap-frame iframe").sandbox.contains("allow-scripts")'),
    ).toBe(false)
    await keepScreenshot(page, 'heatmaps')
    expect(await accessibilityProblems(page, 'heatmaps')).toEqual([])
  })

  it('shows how far people scrolled, in bands and as a table', async () => {
    await page.getByText('Scroll depth').click()
    await page
      .getByText(/saw the page down to here/)
      .first()
      .waitFor()
    await settled(page)
    await keepScreenshot(page, 'heatmaps-scroll')
    await page.getByText('As a table').click()
    await page.getByRole('cell', { name: /^100/ }).first().waitFor()
    expect(page.url()).toContain('type=scrolldepth')
  })

  it('says when nothing was recorded with these widths', async () => {
    await app.open('heatmaps?width=phone')
    await page.getByText(/No clicks on/).waitFor()
    expect(await accessibilityProblems(page, 'heatmaps without points', 'structure')).toEqual([])
  })

  it('draws on an empty sheet when no recording shows the page', async () => {
    const $heatmap_data = { 'https://unseen.test/': [{ x: 300, y: 400, type: 'click', target_fixed: false }] }
    const properties = { $lib: 'posthog-node', $viewport_width: 1000, $viewport_height: 700, $heatmap_data }
    await app.service.capture({ event: '$$heatmap', distinct_id: 'x', properties })
    await app.service.waitFor(
      async () => (await resultsOf('heatmaps/?url_exact=https://unseen.test/')).length > 0,
      'the point',
    )
    await app.open(`heatmaps?page=${encodeURIComponent('https://unseen.test/')}`)
    await page.getByText(/No recording shows this page/).waitFor()
    await expect.poll(() => heatAt(300, 400)).toBeGreaterThan(0)
    await keepScreenshot(page, 'heatmaps-empty-sheet')
  })

  it('is chosen with the keyboard, on a small screen, in the dark', async () => {
    const small = await visit(app.browser, { theme: 'dark', width: 390, height: 844 })
    await signIn(small, app.service.url)
    await small.page.goto(`${app.service.url}/project/1/heatmaps`)
    await settled(small.page)
    await small.page.getByRole('button', { name: /127.0.0.1/ }).press('Enter')
    await small.page.getByRole('combobox', { name: 'Page' }).fill('unseen')
    await small.page.keyboard.press('Enter')
    await small.page.getByText(/No recording shows this page/).waitFor()
    await settled(small.page)
    const wide = await small.page.evaluate<number>('document.documentElement.scrollWidth')
    expect(wide).toBeLessThanOrEqual(390)
    await keepScreenshot(small.page, 'heatmaps-small-dark')
    expect(await accessibilityProblems(small.page, 'heatmaps, small and dark')).toEqual([])
    expect(small.problems).toEqual([])
    await small.context.close()
  })

  it('says in an empty project what would fill it', async () => {
    await app.open('heatmaps', 2)
    await page.getByText('No heatmaps in this period').waitFor()
    expect(app.visitor.problems).toEqual([])
  })
})
