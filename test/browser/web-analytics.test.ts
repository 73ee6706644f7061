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
const filters = () => demo.page.getByRole('list', { name: 'Filters' })

describe('the page of web analytics', () => {
  it('is the second place of the rail, and every part of it shows something', async () => {
    await demo.open('')
    await demo.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Web' }).click()
    await demo.page.waitForURL('**/project/1/web')
    await settled(demo.page)
    await keepScreenshot(demo.page, 'web-analytics')
    for (const name of ['Sources', 'Pages', 'Devices', 'Outgoing links', 'Goals', 'Web vitals'])
      expect((await rowsOf(name)).length, name).toBeGreaterThan(1)
    expect(await card('Places').locator('[data-country]').count()).toBeGreaterThan(4)
    expect(await card('Hours of the week').locator('button.web-hour').count()).toBeGreaterThan(20)
    const links = demo.page.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
    expect(await links.nth(1).textContent()).toContain('Web')
  })

  it('shows the figures that SQL counts', async () => {
    await demo.open('web')
    const [row] = await sql(
      `select count(), sum($pageview_count), avg($session_duration), countIf($is_bounce) / count() ${SESSIONS}`,
    )
    const [sessions, views, , bounce] = (row ?? []).map(Number)
    expect(asNumber(await figure('Sessions'))).toBe(sessions)
    expect(asNumber(await figure('Views'))).toBe(views)
    expect(await figure('Bounce rate')).toBe(`${((bounce ?? 0) * 100).toFixed(1)}%`)
    const [people] = await sql(
      `select count(distinct person_id) from events where $session_id in (select session_id ${SESSIONS})`,
    )
    expect(asNumber(await figure('Visitors'))).toBe(Number(people?.[0]))
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
    expect(views(await rowsOf('Devices'))).toEqual(await asked('$browser'))
    expect(views(await rowsOf('Sources'))).toEqual(await asked('$channel_type'))
    expect(views(await rowsOf('Pages'))).toMatchObject(await asked('$entry_pathname'))
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
    expect(asNumber(await figure('Sessions'))).toBe(before + bots)
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
    expect(asNumber(await figure('Sessions'))).toBe(Number(row?.[0]))
    expect((await rowsOf('Devices')).map(([name]) => name)).toEqual(['Firefox'])
    const shown = await rowsOf('Sources')
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await settled(page)
    expect(asNumber(await figure('Sessions'))).toBe(Number(row?.[0]))
    expect(await rowsOf('Sources')).toEqual(shown)
    expect(await page.getByRole('alert').count(), 'every part is answered').toBe(0)
    await filters().getByRole('button', { name: 'Remove Browser: Firefox' }).click()
    await filters().waitFor({ state: 'detached' })
    await settled(page)
    expect((await rowsOf('Devices')).length).toBeGreaterThan(2)
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
      expect(asNumber(await figure('Sessions')), filter.on).toBe(Number(row?.[0]))
      expect(Number(row?.[0])).toBeGreaterThan(0)
    }
  })

  it('on a goal gives every table a conversion rate', async () => {
    await demo.open('web')
    await card('Goals').getByRole('button', { name: 'signed up', exact: true }).click()
    await filters().getByText('signed up').waitFor()
    await settled(demo.page)
    expect(await figure('Conversion rate')).toMatch(/^\d+(\.\d)?%$/)
    for (const name of ['Sources', 'Pages', 'Devices'])
      expect(await card(name).locator('thead').textContent(), name).toContain('Rate')
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

  it('of an hour of the week leads to whoever came then', async () => {
    const { page } = demo
    await demo.open('web')
    const cell = card('Hours of the week').locator('button.web-hour').first()
    const count = /, ([\d,]+) visitor/.exec((await cell.getAttribute('aria-label')) ?? '')?.[1] ?? ''
    await cell.click()
    await page
      .getByRole('complementary', { name: /:00 to / })
      .getByText(new RegExp(`^${count} (person|people)`))
      .waitFor()
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
    await page.getByRole('button', { name: /^Views/ }).press('Enter')
    await page.getByRole('heading', { name: 'Views' }).waitFor()
    await page.getByRole('tab', { name: 'Channels' }).press('ArrowRight')
    await card('Sources').getByRole('columnheader', { name: 'Source' }).waitFor()
    await settled(page)
    const map = card('Places')
    await map.locator('[data-country][tabindex="0"]').press('ArrowRight')
    const second = map.locator('[data-country]').nth(1)
    expect(await map.locator('[data-country]:focus').getAttribute('data-country')).toBe(
      await second.getAttribute('data-country'),
    )
    const country = (await second.getAttribute('aria-label'))?.split(':')[0] ?? ''
    await page.keyboard.press('Enter')
    await filters().getByText(country).waitFor()
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
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await accessibilityProblems(page, theme)).toEqual([])
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(overflow).toBeLessThanOrEqual(0)
})
