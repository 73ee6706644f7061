import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled, textOf } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'

let demo: App

beforeAll(async () => {
  demo = await openDemo({ visitors: 300, recordings: 6 })
})
afterAll(() => demo?.close())

const sql = async (query: string): Promise<unknown[][]> => {
  const { body, text } = await demo.service.api('query/', { body: { query: { kind: 'HogQLQuery', query } } })
  if (!body?.results) throw new Error(text)
  return body.results
}

/** Sessions of the last 30 days, as the page counts them, in SQL. */
const SESSIONS = `from sessions where $start_timestamp >= toStartOfDay(now()) - interval 29 day
  and $pageview_count > 0 and not $is_bot`

const figure = (name: string) =>
  demo.page
    .locator(`[data-figure="${name}"]`)
    .textContent()
    .then((text) => text ?? '')
const card = (name: string) => demo.page.getByRole('region', { name, exact: true })
const rowsOf = (name: string) =>
  card(name)
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...(row as unknown as { cells: Iterable<{ textContent: string }> }).cells].map((cell) =>
          cell.textContent.trim(),
        ),
      ),
    )
const asNumber = (text: string) => Number(text.replaceAll(',', ''))
/** A cell of the hours of the week in which somebody came. */
const HOUR = 'button.web-hour[aria-disabled="false"]'
const filters = () => demo.page.getByRole('list', { name: 'Filters' })

describe('the page of web analytics', () => {
  it('is the second place of the rail, and every part of it shows something', async () => {
    await demo.open('')
    await demo.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Web' }).click()
    await demo.page.waitForURL('**/project/1/web')
    await settled(demo.page)
    await keepScreenshot(demo.page, 'web-analytics')
    for (const name of ['Sources', 'Pages', 'Devices', 'Outgoing links', 'Goals', 'Web vitals'])
      await expect.poll(async () => (await rowsOf(name)).length, { message: name }).toBeGreaterThan(1)
    await expect.poll(() => card('Places').locator('[data-country]').count()).toBeGreaterThan(4)
    await expect.poll(() => card('Hours of the week').locator(HOUR).count()).toBeGreaterThan(20)
    const links = demo.page.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
    await expect.poll(() => links.nth(1).textContent()).toContain('Web')
  })

  it('has rows in every tab of its tables, and AI assistants among the channels', async () => {
    await demo.open('web')
    for (const name of ['Sources', 'Pages', 'Places', 'Devices']) {
      const tabs = card(name).getByRole('tab')
      for (const tab of (await tabs.all()).slice(name === 'Places' ? 1 : 0)) {
        await tab.click()
        await settled(demo.page)
        const rows = await rowsOf(name)
        expect(rows.length, `${name}: ${await tab.textContent()}`).toBeGreaterThan(1)
        if (name === 'Sources' && (await tab.textContent()) === 'Channels')
          expect(rows.map(([channel]) => channel)).toContain('AI')
      }
    }
    await demo.open('web')
    const pages = await rowsOf('Pages')
    const filled = (at: number) => pages.filter((row) => /^\d/.test(row[at] ?? '')).length
    expect([filled(4), filled(5)], 'scroll depth and time on pages').not.toContain(0)
  })

  it('shows the figures that SQL counts', async () => {
    await demo.open('web')
    const [row] = await sql(`select count(), countIf($is_bounce) / count() ${SESSIONS}`)
    const [sessions, bounce = 0] = (row ?? []).map(Number)
    await expect.poll(async () => asNumber(await figure('Sessions'))).toBe(sessions)
    await expect.poll(() => figure('Bounce rate')).toBe(`${(bounce * 100).toFixed(1)}%`)
    // Of the events, not of what was kept of sessions: the page reads that itself.
    const [seen] = await sql(
      `select countIf(event = '$pageview'), count(distinct person_id) from events
       where $session_id in (select session_id ${SESSIONS})`,
    )
    const [views, people] = (seen ?? []).map(Number)
    await expect.poll(async () => asNumber(await figure('Views'))).toBe(views)
    await expect.poll(async () => asNumber(await figure('Visitors'))).toBe(people)
  })

  it('shows the rows that SQL counts', async () => {
    await demo.open('web?devices=browser&pages=entry')
    const views = (rows: string[][]) => Object.fromEntries(rows.map(([name, , count]) => [name, asNumber(count ?? '')]))
    const asked = async (column: string) =>
      Object.fromEntries(
        (
          await sql(
            `select ${column} as name, sum($pageview_count) as views ${SESSIONS} group by name order by views desc limit 8`,
          )
        ).map(([name, count]) => [name, Number(count)]),
      )
    await expect.poll(async () => views(await rowsOf('Devices'))).toEqual(await asked('$browser'))
    await expect.poll(async () => views(await rowsOf('Sources'))).toEqual(await asked('$channel_type'))
    await expect.poll(async () => views(await rowsOf('Pages'))).toMatchObject(await asked('$entry_pathname'))
  })

  it('hides bots, says how many, and shows them on demand', async () => {
    await demo.open('web')
    const [row] =
      await sql(`select count() from sessions where $start_timestamp >= toStartOfDay(now()) - interval 29 day
      and $pageview_count > 0 and $is_bot`)
    const bots = Number(row?.[0])
    expect(bots).toBeGreaterThan(0)
    const before = asNumber(await figure('Sessions'))
    await demo.page.getByText(`${bots} bot visits hidden`).waitFor()
    await demo.page.getByRole('button', { name: 'Show them' }).click()
    await demo.page.getByText('Bots are included.').waitFor()
    await settled(demo.page)
    await expect.poll(async () => asNumber(await figure('Sessions'))).toBe(before + bots)
    await demo.page.getByRole('button', { name: 'Hide bots' }).click()
    await demo.page.getByText(`${bots} bot visits hidden`).waitFor()
  })
})

describe('a click on a row', () => {
  it('filters everything; the address is the state, and a chip takes it back', async () => {
    const { page } = demo
    await demo.open('web?devices=browser')
    await card('Devices').getByRole('button', { name: 'Firefox', exact: true }).click()
    await filters().getByText('Firefox').waitFor()
    await settled(page)
    const [row] = await sql(`select count() ${SESSIONS} and $browser = 'Firefox'`)
    await expect.poll(async () => asNumber(await figure('Sessions'))).toBe(Number(row?.[0]))
    await expect.poll(async () => (await rowsOf('Devices')).map(([name]) => name)).toEqual(['Firefox'])
    const shown = await rowsOf('Sources')
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await settled(page)
    await expect.poll(async () => asNumber(await figure('Sessions'))).toBe(Number(row?.[0]))
    await expect.poll(() => rowsOf('Sources')).toEqual(shown)
    expect(await page.getByRole('alert').count(), 'every part is answered').toBe(0)
    await filters().getByRole('button', { name: 'Remove Browser: Firefox' }).click()
    await filters().waitFor({ state: 'detached' })
    await settled(page)
    await expect.poll(async () => (await rowsOf('Devices')).length).toBeGreaterThan(2)
  })

  it('also works for rows without a value, cities and pages', async () => {
    const is = [
      [{ on: 'campaign', is: null }, '$entry_utm_campaign is null'],
      [{ on: 'city', is: ['DE', 'Berlin'] }, "$geoip_country_code = 'DE' and $geoip_city_name = 'Berlin'"],
      [{ on: 'entry', is: '/' }, "$entry_pathname = '/'"],
    ] as const
    for (const [filter, condition] of is) {
      await demo.open(`web?filters=${encodeURIComponent(JSON.stringify([filter]))}`)
      const [row] = await sql(`select count() ${SESSIONS} and ${condition}`)
      await expect.poll(async () => asNumber(await figure('Sessions')), { message: filter.on }).toBe(Number(row?.[0]))
      expect(Number(row?.[0])).toBeGreaterThan(0)
    }
  })

  it('on a goal gives every table a conversion rate', async () => {
    await demo.open('web')
    await card('Goals').getByRole('button', { name: 'signed up', exact: true }).click()
    await filters().getByText('signed up').waitFor()
    await settled(demo.page)
    await expect.poll(() => figure('Conversion rate')).toMatch(/^\d+(\.\d)?%$/)
    for (const name of ['Sources', 'Pages', 'Devices', 'Outgoing links'])
      await expect.poll(() => card(name).locator('thead').textContent(), { message: name }).toContain('Rate')
  })

  it.each(['Sources', 'Pages', 'Outgoing links'])('on a goal leads from %s to whoever reached it', async (name) => {
    const { page } = demo
    await demo.open('web?goal={"event":"signed up"}')
    // A panel begins with a hundred people: fewer than that tell their number.
    const row = (await rowsOf(name)).find(
      ([, , , converted = '']) => asNumber(converted) > 0 && asNumber(converted) < 100,
    )
    const [label = '', , , converted = ''] = row ?? []
    await card(name)
      .getByRole('button', { name: `${converted} converted, ${label}: see the people` })
      .click()
    const panel = page.getByRole('complementary').filter({ has: page.getByRole('tab', { name: /^Recordings/ }) })
    await panel.getByText(new RegExp(`^${converted} (person|people)`)).waitFor()
  })
})

describe('a number', () => {
  it('leads to the people behind it, and to their recordings', async () => {
    const { page } = demo
    await demo.open('web?sources=channel')
    // A panel begins with a hundred people: a channel that has fewer tells its number.
    const [name = '', count = ''] = (await rowsOf('Sources')).at(-1) ?? []
    await card('Sources')
      .getByRole('button', { name: `${count} visitors, ${name}: see the people` })
      .click()
    const panel = page.getByRole('complementary', { name: `Channel: ${name}` })
    await panel.getByText(new RegExp(`^${count} (person|people)`)).waitFor()
    await panel.getByRole('tab', { name: /^Recordings/ }).waitFor()
  })

  it.each([
    ['Sources', 'views'],
    ['Pages', 'bounce'],
    ['Pages', 'time'],
    ['Outgoing links', 'clicks'],
    ['Goals', 'rate'],
    ['Web vitals', 'LCP'],
  ])('of %s leads to people from its column %s too', async (name, column) => {
    const { page } = demo
    await demo.open('web')
    await card(name)
      .getByRole('button', { name: new RegExp(`^[^0–].* ${column}, .*: see the people$`, 'i') })
      .first()
      .click()
    const panel = page.getByRole('complementary').filter({ has: page.getByRole('tab', { name: /^Recordings/ }) })
    await panel.getByText(/^(The first )?[1-9]\d* (person|people)/).waitFor()
  })

  it('of a point of the period before leads to the people of that day', async () => {
    const { page } = demo
    await demo.open('web?from=-6d')
    const graph = page.getByRole('application', { name: /^Visitors: / })
    const panel = page.getByRole('complementary', { name: /^Visitors, \d+ \w{3}$/ })
    const days: string[] = []
    // Yesterday, beside the last point: just after midnight nobody has come today.
    for (const keys of [['End', 'ArrowLeft'], ['ArrowDown']]) {
      await graph.focus()
      for (const key of [...keys, 'Enter']) await page.keyboard.press(key)
      await panel.getByText(/^(The first )?[1-9]\d* (person|people)/).waitFor()
      days.push(((await panel.getAttribute('aria-label')) ?? '').replace('Visitors, ', ''))
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
    }
    // The panel names no year: the day before may be of the last one.
    const year = new Date(Date.now() - 86_400_000).getUTCFullYear()
    const at = (day: string | undefined, of: number) => Date.parse(`${day} ${of} UTC`)
    const apart = [year, year - 1].map((of) => (at(days[0], year) - at(days[1], of)) / 86_400_000)
    expect(apart, days.join(' and ')).toContain(7)
  })

  it('of an hour of the week leads to whoever came then', async () => {
    const { page } = demo
    await demo.open('web')
    const cell = card('Hours of the week').locator(HOUR).first()
    const count = /, ([\d,]+) visitor/.exec((await cell.getAttribute('aria-label')) ?? '')?.[1] ?? ''
    await cell.click()
    await page
      .getByRole('complementary', { name: /:00 to / })
      .getByText(new RegExp(`^${count} (person|people)`))
      .waitFor()
  })
})

describe('an insight', () => {
  it('leaves out bots, and takes properties of sessions as filters', async () => {
    const { page } = demo
    await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }], display: 'number' })
    const asked = async (more: object) => {
      const query = {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: '$pageview' }],
        dateRange: { date_from: '-29d' },
        trendsFilter: { display: 'BoldNumber' },
        ...more,
      }
      const { body } = await demo.service.api('query/', { body: { query } })
      return Number(body.results[0].aggregated_value).toLocaleString('en')
    }
    const shows = (number: string) => page.locator('.number-value').getByText(number, { exact: true }).waitFor()
    const all = await asked({})
    await shows(all)
    await page.getByLabel('Bots').selectOption('Without bots')
    const people = await asked({ bots: 'exclude' })
    expect(people).not.toBe(all)
    await shows(people)
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('option', { name: 'Channel', exact: true }).click()
    await page.getByRole('button', { name: 'Direct', exact: true }).click()
    const channel = { key: '$channel_type', type: 'session', operator: 'exact', value: ['Direct'] }
    const direct = await asked({ bots: 'exclude', properties: [channel] })
    expect(direct).not.toBe(people)
    await shows(direct)
  })
})

describe('a table', () => {
  it('is saved as CSV, with all of its rows', async () => {
    await demo.open('web?devices=os')
    const [download] = await Promise.all([
      demo.page.waitForEvent('download'),
      card('Devices').getByRole('button', { name: 'CSV of systems' }).click(),
    ])
    const lines = (await textOf(download)).trim().split('\r\n')
    expect(lines[0]).toBe('System,Visitors,Visitors before,Views,Views before,Bounce,Bounce before')
    const [row] = await sql(`select count(distinct $os) ${SESSIONS}`)
    expect(lines.length - 1).toBeGreaterThanOrEqual(Number(row?.[0]))
  })

  it('is ordered by the column that is chosen, up and down, in its address too', async () => {
    const { page } = demo
    await demo.open('web?pages=entry')
    const head = (name: string) => card('Pages').getByRole('columnheader', { name })
    const column = async (at: number) => (await rowsOf('Pages')).map((row) => asNumber(row[at]?.replace('%', '') ?? ''))
    await expect.poll(() => head('Visitors').getAttribute('aria-sort')).toBe('descending')
    for (const [way, sign] of [
      ['descending', -1],
      ['ascending', 1],
    ] as const) {
      await head('Views').getByRole('button').click()
      await card('Pages').locator(`th[aria-sort="${way}"]`, { hasText: 'Views' }).waitFor()
      await settled(page)
      const views = await column(2)
      expect(views).toEqual(views.toSorted((a, b) => sign * (a - b)))
      expect(views.length).toBeGreaterThan(2)
    }
    const shown = await rowsOf('Pages')
    await page.reload()
    await settled(page)
    await expect.poll(() => rowsOf('Pages')).toEqual(shown)
  })

  it('is shown whole, and found in by a word', async () => {
    const { page } = demo
    await demo.open('web?pages=page&all=page')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('pric')
    await dialog.getByText('1 row', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('all=')
  })
})

describe('by keyboard', () => {
  it('tabs, cards, rows and the map can be used', async () => {
    const { page } = demo
    await demo.open('web')
    const figures = page.getByRole('list', { name: 'Figures' })
    await figures.getByRole('button', { name: /^Views/ }).press('Enter')
    await page.getByRole('heading', { name: 'Views' }).waitFor()
    await page.getByRole('tab', { name: 'Channels' }).press('ArrowRight')
    await card('Sources').getByRole('columnheader', { name: 'Source' }).waitFor()
    await settled(page)
    const map = card('Places')
    await map.locator('[data-country][tabindex="0"]').press('ArrowRight')
    const second = map.locator('[data-country]').nth(1)
    await expect
      .poll(() => map.locator('[data-country]:focus').getAttribute('data-country'))
      .toBe(await second.getAttribute('data-country'))
    const country = (await second.getAttribute('aria-label'))?.split(':')[0] ?? ''
    await page.keyboard.press('Enter')
    await filters().getByText(country).waitFor()
  })

  it('hours lead to people: arrows choose one', async () => {
    const { page } = demo
    await demo.open('web')
    const hours = card('Hours of the week')
    const [from, to] = [hours.locator('[data-hour="0 0"]'), hours.locator(HOUR).first()]
    const [day = 0, hour = 0] = ((await to.getAttribute('data-hour')) ?? '').split(' ').map(Number)
    await expect.poll(() => from.getAttribute('tabindex')).toBe('0')
    await from.focus()
    for (let step = 0; step < day; step++) await page.keyboard.press('ArrowDown')
    for (let step = 0; step < hour; step++) await page.keyboard.press('ArrowRight')
    await expect.poll(() => to.evaluate((cell) => cell === cell.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: /:00 to / }).waitFor()
  })

  it.each([1280, 390])('every control of the page is reached by the tab key, %s px wide', async (width) => {
    const { page } = demo
    await page.setViewportSize({ width, height: 860 })
    await demo.open('web?filters=[{"on":"browser","is":"Chrome"}]')
    await page.evaluate(`
      window.wanted = [...document.querySelectorAll('main :is(a[href], button, input, select, [role="button"])')]
        .filter((control) => control.checkVisibility() && !control.disabled)
      document.querySelector('main').focus()`)
    // In groups of tabs, radio buttons, countries and hours one is reached, and arrows lead to the others.
    const missed = `window.wanted.filter((control) => !window.reached.has(control) &&
      ![...(control.closest('[role="tablist"], .segmented, svg, .web-hours')?.querySelectorAll('*') ?? [])].some((other) => window.reached.has(other)))
      .map((control) => control.outerHTML.slice(0, 200))`
    await page.evaluate(`window.reached = new Set()
      document.addEventListener('focusin', (event) => window.reached.add(event.target))
      document.querySelector('main').tabIndex = -1
      document.querySelector('main').focus()`)
    const count = Number(await page.evaluate('window.wanted.length'))
    expect(count).toBeGreaterThan(60)
    for (let press = 0; press < count; press++) await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(missed)).toEqual([])
  })
})

describe('a public link to the page', () => {
  it('shows it to somebody without an account, with its filters and without a way to people', async () => {
    const { page } = demo
    await demo.open('web?devices=browser&filters=[{"on":"device","is":"Desktop"}]')
    // Who was here in the last minutes changes while one looks.
    const SAME_FOR_ALL = '[data-figure]:not([data-figure="Live now"])'
    const figures = await page.locator(SAME_FOR_ALL).allTextContents()
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this page' })
    await dialog.getByRole('button', { name: 'Create public link' }).click()
    const link = (await dialog.locator('pre').textContent()) ?? ''
    const address = /https?:\/\/\S+/.exec(link)?.[0] ?? ''
    expect(address).toContain('/shared/')
    const stranger = await demo.browser.newContext()
    try {
      const shown = await stranger.newPage()
      const asked: string[] = []
      shown.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await shown.goto(address)
      await shown.getByRole('list', { name: 'Filters' }).getByText('Desktop').waitFor()
      await settled(shown)
      await keepScreenshot(shown, 'web-analytics-shared')
      await expect.poll(() => shown.locator(SAME_FOR_ALL).allTextContents()).toEqual(figures)
      expect(await shown.getByRole('button', { name: /see the people|^People$|^Recordings$/ }).count()).toBe(0)
      expect(await shown.getByRole('link', { name: /Live|Persons|Recordings/ }).count()).toBe(0)
      const devices = shown.getByRole('region', { name: 'Devices', exact: true })
      await devices.getByRole('button', { name: 'Firefox', exact: true }).click()
      await shown.getByRole('list', { name: 'Filters' }).getByText('Firefox').waitFor()
      await settled(shown)
      expect(await shown.getByRole('alert').count(), 'every part is answered').toBe(0)
      expect(asked.filter((path) => path.startsWith('/api/') && !path.startsWith('/api/shared/'))).toEqual([])
    } finally {
      await stranger?.close()
    }
    await dialog.getByRole('button', { name: 'Revoke' }).first().click()
    await dialog.getByText('There are no active links.').waitFor()
    await page.keyboard.press('Escape')
  })
})

it.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('breaks no rule of accessibility and fits its width: %s, %s px', async (theme, width) => {
  const { page } = demo
  await page.setViewportSize({ width, height: 860 })
  await page.evaluate(`localStorage.setItem('footfall.theme', '${theme}')`)
  await page.addInitScript(`localStorage.setItem('footfall.theme', '${theme}')`)
  await demo.open('web?filters=[{"on":"browser","is":"Chrome"}]')
  await page.locator(`html[data-theme="${theme}"]`).waitFor()
  await settled(page)
  if (process.env.TEST_SCREENSHOTS)
    await page.screenshot({ path: `test-artifacts/web-analytics-${theme}-${width}.png`, fullPage: true })
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  expect(await accessibilityProblems(page, theme)).toEqual([])
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(overflow).toBeLessThanOrEqual(0)
})
