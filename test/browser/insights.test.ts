import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { duration, percent } from '../../web/src/lib/format.ts'
import { datesBetween, rangeDates } from '../../web/src/lib/ranges.ts'
import { LAST_30_DAYS } from '../../web/src/lib/usual-ranges.ts'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled, textOf } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'

let demo: App
let page: Page

beforeAll(async () => {
  demo = await openDemo({ visitors: 300 })
  page = demo.page
})
afterAll(() => demo?.close())

/** What the API answers to a question. */
async function answerOf<R>(query: object): Promise<R> {
  const { status, body, text } = await demo.service.api('query/', { body: { query } })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return body.results
}

const numberOf = (text: string): number => Number(text.replaceAll(',', '').replace('%', ''))
const textsOf = (selector: string) => page.locator(selector).allTextContents()
const numbersOf = async (selector: string) => (await textsOf(selector)).map(numberOf)

/** The table beside the chart, a row a series: its name, then its numbers. */
async function tableRows(): Promise<{ name: string; cells: string[] }[]> {
  const rows = await page.locator('.data-table tbody tr').all()
  return Promise.all(
    rows.map(async (row) => ({
      name: (await row.locator('th').textContent()) ?? '',
      cells: await row.locator('td').allTextContents(),
    })),
  )
}
const tableNumbers = async () => (await tableRows()).map(({ cells }) => cells.map(numberOf))

async function choose(button: string, list: string, event: string, place = 0): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).nth(place).click()
  await page.getByRole('combobox', { name: list, exact: true }).fill(event)
  await page.getByRole('option', { name: event }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: list, exact: true }).waitFor({ state: 'detached' })
}

interface Trend {
  count: number
  data: number[]
}
const trendNumbers = (series: Trend[]) => series.map(({ count, data }) => [count, ...data])

interface Build {
  /** The clicks from the list of insights on. */
  build: () => Promise<void>
  /** The numbers on the page, as the API's answer has them. */
  shown: () => Promise<unknown>
  answered: (results: never) => unknown
}

const KINDS: Record<string, Build> = {
  Trends: {
    build: async () => {
      await choose('Page view', 'Events', 'signed up')
      await choose('Add a series', 'Events to add', 'created board')
    },
    shown: tableNumbers,
    answered: trendNumbers,
  },
  Funnel: {
    build: async () => {
      for (const event of ['signed up', 'created board', 'invited teammate'])
        await choose('Add a step', 'Events for a step', event)
    },
    shown: async () => [await numbersOf('.funnel-count'), (await tableNumbers())[0]?.slice(0, 3)],
    answered: (steps: { count: number }[]) => [steps.map(({ count }) => count), steps.map(({ count }) => count)],
  },
  Retention: {
    build: async () => {
      await choose('Page view', 'Events', 'signed up')
      await choose('signed up', 'Events', 'completed task', 1)
      await page.getByLabel('Period', { exact: true }).selectOption('Week')
    },
    shown: async () => {
      const rows = await page.locator('.retention tbody tr:not(.retention-average)').all()
      return Promise.all(
        rows.map(async (row) =>
          Promise.all((await row.locator('.heat').all()).map(async (cell) => numberOf(await titleOf(cell)))),
        ),
      )
    },
    answered: (rows: { values: { count: number }[] }[]) =>
      rows.map(({ values }) => (values[0]?.count === 0 ? [] : values.map(({ count }) => count))),
  },
  Paths: {
    build: async () => {
      await page.getByRole('button', { name: 'Last 7 days' }).click()
      await page.getByRole('button', { name: 'Last 30 days' }).click()
    },
    shown: async () => (await tableRows()).map(({ name, cells }) => [name, cells[0], numberOf(cells[2] ?? '')]),
    answered: (edges: { source: string; target: string; value: number }[]) =>
      edges.map(({ source, target, value }) => [pathOf(source), pathOf(target), value]),
  },
  Lifecycle: {
    build: async () => {
      await choose('Page view', 'Events', 'completed task')
      await page.getByLabel('Interval').selectOption('week')
    },
    shown: tableNumbers,
    answered: trendNumbers,
  },
  Stickiness: {
    build: () => choose('Page view', 'Events', 'completed task'),
    shown: tableNumbers,
    answered: (series: Trend[]) => series.map(({ data }) => data),
  },
}

const titleOf = async (cell: { getAttribute(name: string): Promise<string | null> }) =>
  ((await cell.getAttribute('title')) ?? '').split(' of ')[0] ?? ''
const pathOf = (key: string) => new URL(key.replace(/^\d+_/, '')).pathname

describe('every kind of insight', () => {
  it.each(Object.entries(KINDS))(
    '%s: built by hand, saved, and the numbers are the API’s',
    async (kind, steps) => {
      await demo.open('insights')
      await page.getByRole('navigation', { name: 'New insight' }).getByRole('link', { name: kind }).click()
      await page.waitForURL('**/insights/new**')
      await steps.build()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill(`Mine: ${kind}`)
      await page.getByRole('textbox', { name: 'Tags' }).fill('weekly, growth')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/insights\/\w{8}$/)
      await page.getByRole('heading', { name: `Mine: ${kind}` }).waitFor()

      const { body } = await demo.service.api(`insights/?short_id=${page.url().split('/').pop()}`)
      const [saved] = body.results
      expect(saved).toMatchObject({ name: `Mine: ${kind}`, saved: true, tags: ['weekly', 'growth'] })
      const expected = steps.answered((await answerOf(saved.query.source)) as never)
      await page.reload()
      await settled(page)
      await expect.poll(steps.shown).toEqual(expected)
      await keepScreenshot(page, `insight-${kind.toLowerCase()}-saved`)
      expect(await accessibilityProblems(page, kind)).toEqual([])
    },
    180_000,
  )

  it('what made the difference says how many, as the API does', async () => {
    const series = [{ event: 'signed up' }, { event: 'created board' }]
    await demo.openInsight({ kind: 'funnel', series, from: '-90d' })
    const source = {
      kind: 'FunnelsQuery',
      series: series.map(({ event }) => ({ kind: 'EventsNode', event })),
      dateRange: { date_from: '-90d' },
      funnelsFilter: { funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
    }
    interface Item {
      success_count: number
      failure_count: number
      odds_ratio: number
      correlation_type: 'success' | 'failure'
    }
    const answer = await answerOf<{ events: Item[] }>({
      kind: 'FunnelCorrelationQuery',
      source: { kind: 'FunnelsActorsQuery', source, funnelStep: 1 },
      funnelCorrelationType: 'events',
    })
    const steps = await answerOf<{ count: number }[]>(source)
    const [all, through] = [steps[0]?.count ?? 0, steps.at(-1)?.count ?? 0]
    const findings = answer.events.map((item) => {
      const { success_count: s, failure_count: f } = item
      const [ended, endedOfAll] = item.correlation_type === 'success' ? [s, through] : [f, all - through]
      return { ...item, ofThem: ended / (s + f), ofOthers: (endedOfAll - ended) / (all - s - f) }
    })
    // What everybody did has no others (not a number), and makes no difference.
    const events = findings.filter(({ ofThem, ofOthers }) => ofThem > ofOthers)
    expect(events.length).toBeGreaterThan(0)
    await expect
      .poll(() => numbersOf('.odds-row .link-button'))
      .toEqual(events.flatMap(({ success_count, failure_count }) => [success_count, failure_count]))
    // "Times as likely" is the ratio of the two shares beside it; the odds ratio stands under its own name.
    const words = await textsOf('.odds-words')
    expect(words).toHaveLength(events.length)
    for (const [at, { ofThem, ofOthers }] of events.entries()) {
      expect(words[at]).toContain(`${percent(ofThem)} of them did, ${percent(ofOthers)} of the others`)
      if (ofOthers > 0 && ofThem / ofOthers <= 100) {
        const told = /are (?:(?<times>[\d.]+)×|about) as likely to /.exec(words[at] ?? '')
        // To one decimal.
        expect(Math.abs(Number(told?.groups?.times ?? 1) - ofThem / ofOthers), words[at]).toBeLessThan(0.051)
        expect(told, words[at]).not.toBeNull()
      }
    }
    await page.getByRole('columnheader', { name: 'Odds ratio' }).waitFor()
    await expect
      .poll(() => numbersOf('.odds-number'))
      .toEqual(events.map(({ odds_ratio }) => Math.round(odds_ratio * 100) / 100))
    await page.locator('.difference').scrollIntoViewIfNeeded()
    await keepScreenshot(page, 'correlation')
  })

  it('a funnel tells the median time from its first to its last step, as the API does', async () => {
    const series = ['signed up', 'created board', 'invited teammate'].map((event) => ({ event }))
    await demo.openInsight({ kind: 'funnel', series, from: '-59d' })
    const steps = await answerOf<{ median_conversion_time: number; total_median_conversion_time: number }[]>({
      kind: 'FunnelsQuery',
      series: series.map(({ event }) => ({ kind: 'EventsNode', event })),
      dateRange: { date_from: '-59d' },
      funnelsFilter: { funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
    })
    const total = duration(steps.at(-1)?.total_median_conversion_time)
    expect(total).not.toBe(duration(steps.reduce((sum, step) => sum + (step.median_conversion_time ?? 0), 0)))
    await page.getByText(`half of them in less than ${total}`).waitFor()
    await expect.poll(async () => (await tableRows())[0]?.cells.at(-1)).toBe(total)
  })

  it('the last 30 days are thirty, and the same number on home, among definitions and in an insight', async () => {
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
    const [trend] = await answerOf<{ count: number; days: string[] }[]>({
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      dateRange: { date_from: day(29), date_to: day(0) },
    })
    expect(trend?.days).toHaveLength(30)
    const dates = rangeDates({ from: LAST_30_DAYS }, 'UTC') as string
    await demo.open('')
    await page.getByText(`Last 30 days: ${dates}, in UTC`).waitFor()
    const views = page.locator('.figure').filter({ hasText: 'Page views' }).locator('.figure-value')
    await expect.poll(async () => numberOf((await views.textContent()) ?? '')).toBe(trend?.count)
    await demo.open('definitions')
    const row = page.getByRole('row').filter({ hasText: 'Page view' }).first()
    await expect.poll(async () => (await row.locator('td').allTextContents()).map(numberOf)).toContain(trend?.count)
    await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }] })
    await expect.poll(async () => (await tableNumbers())[0]?.[0]).toBe(trend?.count)
    await expect.poll(() => page.locator('.answer-line').textContent()).toContain(dates)
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await page.getByText(dates, { exact: true }).waitFor()
    await keepScreenshot(page, 'range-picker')
    await page.keyboard.press('Escape')
  })

  it('by week an answer says which days it counts', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }], interval: 'week' })
    const { body } = await demo.service.api('query/', {
      body: {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: '$pageview' }],
          interval: 'week',
          dateRange: { date_from: LAST_30_DAYS },
        },
      },
    })
    const { date_from, date_to } = body.resolved_date_range
    await page.getByText(`${datesBetween(date_from, date_to, 'UTC')}, in whole weeks`).waitFor()
  })

  it('the picker of properties tells the share of persons that SQL counts', async () => {
    const [[share]] = await answerOf<[[number]]>({
      kind: 'HogQLQuery',
      query: 'select countIf(isNotNull(properties.email)) / count() from persons',
    })
    await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }] })
    await page.getByRole('button', { name: 'Add a filter' }).first().click()
    await page.getByRole('combobox', { name: 'Properties' }).fill('email')
    const option = page.getByRole('option').filter({ hasText: 'mail' }).first()
    await option.waitFor()
    await expect.poll(() => option.locator('.picker-note').textContent()).toBe(percent(share, 0))
    await keepScreenshot(page, 'property-shares')
    await page.keyboard.press('Escape')
  })

  it('a funnel beside the period before shows both as the API has them, in bars, in words and in the table', async () => {
    const series = ['signed up', 'created board', 'invited teammate'].map((event) => ({ event }))
    await demo.openInsight({ kind: 'funnel', series, from: '-30d' })
    await page.getByLabel('Compare with').selectOption('previous')
    const steps = await answerOf<{ count: number; compare_label: string }[]>({
      kind: 'FunnelsQuery',
      series: series.map(({ event }) => ({ kind: 'EventsNode', event })),
      dateRange: { date_from: '-30d' },
      funnelsFilter: { funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
      compareFilter: { compare: true },
    })
    const counts = (label: string) =>
      steps.filter(({ compare_label }) => compare_label === label).map(({ count }) => count)
    const [now, before] = [counts('current'), counts('previous')]
    expect([now.length, before.length]).toEqual([3, 3])
    await expect.poll(async () => (await tableNumbers()).map((cells) => cells.slice(0, 3))).toEqual([now, before])
    await expect.poll(() => numbersOf('.funnel-count')).toEqual(now)
    for (const count of before) await page.getByText(`${count} previously`, { exact: true }).first().waitFor()
    await page.getByText(new RegExp(`In the previous period it was [\\d.]+% of ${before[0]} people`)).waitFor()
    await keepScreenshot(page, 'funnel-compared')
    await page.getByRole('button', { name: `Everyone (previous): ${before[1]} reached created board` }).click()
    const panel = page.getByRole('complementary', { name: 'Reached created board, previous period' })
    await expect.poll(() => panel.locator('.people-row').count()).toBe(before[1])
  })

  it('what does not add up has a mean instead of a total, and says why', async () => {
    await demo.openInsight({
      kind: 'trends',
      series: [{ event: 'signed up' }, { event: '$pageview' }],
      formula: 'A / B * 100',
      from: '-14d',
    })
    const [ratio] = await answerOf<Trend[]>({
      kind: 'TrendsQuery',
      series: ['signed up', '$pageview'].map((event) => ({ kind: 'EventsNode', event })),
      dateRange: { date_from: '-14d' },
      trendsFilter: { formula: 'A / B * 100' },
    })
    const data = ratio?.data ?? []
    const mean = data.reduce((sum, value) => sum + value, 0) / data.length
    await page.getByRole('columnheader', { name: 'Mean' }).waitFor()
    await expect
      .poll(async () => numberOf(((await tableRows())[0]?.cells[0] ?? '').replace(/[^\d.]/g, '')))
      .toBeCloseTo(mean, 1)
    await expect
      .poll(() => page.getByTitle('Mean per interval: ratios and averages cannot be added up').count())
      .toBe(1)
  })

  it.each([
    ['number', '.number-value'],
    ['ranking', '.ranking-value'],
    ['pie', '.pie-part > span:nth-child(3)'],
    ['table', '.data-table td'],
  ])('a trend as a %s shows the same totals', async (display, cells) => {
    const breakdown = display === 'number' ? {} : { breakdown: { property: '$browser', type: 'event' } }
    await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }], from: '-30d', display, ...breakdown })
    const results = await answerOf<{ aggregated_value: number }[]>({
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      dateRange: { date_from: '-30d' },
      trendsFilter: { display: 'ActionsTable' },
      ...(display === 'number' ? {} : { breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' } }),
    })
    await expect.poll(() => numbersOf(cells)).toEqual(results.map(({ aggregated_value }) => aggregated_value))
    await keepScreenshot(page, `trends-${display}`)
    expect(await accessibilityProblems(page, display)).toEqual([])
  })
})

describe('the answer', () => {
  it('can be taken away as CSV and shows the SQL behind it', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-14d' })
    const [series] = await answerOf<Trend[]>({
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'signed up' }],
      dateRange: { date_from: '-14d' },
    })
    const arrives = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const download = await arrives
    expect(download.suggestedFilename()).toBe('signed-up.csv')
    const [head = '', row = ''] = (await textOf(download)).split('\r\n')
    expect(head).toMatch(/^Series,Total,\d{4}-\d{2}-\d{2},/)
    expect(row).toBe(['signed up', series?.count, ...(series?.data ?? [])].join(','))

    await page.getByRole('button', { name: 'SQL', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'SQL for this result' })
    await dialog
      .getByText(/SELECT[\s\S]*FROM events/)
      .first()
      .waitFor()
    expect(await accessibilityProblems(page, 'SQL behind an answer')).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText(/rows read · \d/).waitFor()
  })

  it('stays, dimmed, until the next one is there; a question that changed meanwhile is given up', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-90d', interval: 'week' })
    await expect.poll(async () => (await tableRows()).length).toBe(1)
    const before = await tableNumbers()
    let release = () => {}
    const gate = new Promise<void>((open) => {
      release = open
    })
    const hold = async (route: Route) => {
      await gate
      await route.continue().catch(() => {})
    }
    await page.route('**/query/**', hold)
    const asked = page.waitForRequest((request) => request.postData()?.includes('"interval":"day"') === true)
    await page.getByLabel('Interval').selectOption('day')
    const held = await asked
    await page.locator('.answer.dimmed').waitFor()
    expect(await tableNumbers()).toEqual(before)
    const givenUp = page.waitForEvent('requestfailed', (request) => request === held)
    await page.getByLabel('Interval').selectOption('month')
    await givenUp
    release()
    const [series] = await answerOf<Trend[]>({
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'signed up' }],
      dateRange: { date_from: '-90d' },
      interval: 'month',
    })
    await expect.poll(tableNumbers).toEqual([[series?.count, ...(series?.data ?? [])]])
    await page.locator('.answer.dimmed').waitFor({ state: 'detached' })
    await page.unroute('**/query/**', hold)
  })

  it('a name in the legend hides its line and brings it back', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }, { event: '$pageview' }], from: '-14d' })
    const toggle = page.locator('.legend').getByRole('button', { name: 'signed up' })
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('true')
    await toggle.click()
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('false')
    await toggle.click()
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('true')
  })

  it('nothing having happened is said, not drawn', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'nobody ever did this' }], from: '-14d' })
    await page.getByText('No results').waitFor()
  })
})

/** How often each property of the first group is there, in percent, as listed. */
async function firstGroupShares(): Promise<number[]> {
  const group = page.getByRole('group', { name: 'Event properties' })
  return (await group.locator('.picker-note').allTextContents()).map(numberOf)
}

describe('the builder', () => {
  it('offers properties by how often the event carries them, with values they had', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' })
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('group', { name: 'Event properties' }).locator('.picker-note').first().waitFor()
    const shares = await firstGroupShares()
    expect(shares.length).toBeGreaterThan(3)
    expect(shares).toEqual([...shares].sort((a, b) => b - a))
    expect(shares[0]).toBe(100)
    await page
      .getByRole('option', { name: /Browser.*(Chrome|Firefox|Safari)/ })
      .first()
      .waitFor()
    await keepScreenshot(page, 'property-picker')
    await page.keyboard.press('Escape')
  })

  it('a filter is chosen from values, and typing one makes a single entry of the history', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' })
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('combobox', { name: 'Properties' }).fill('browser')
    await page
      .getByRole('option', { name: /^Browser/ })
      .first()
      .click()
    await page.getByLabel('Operator').selectOption('icontains')
    await page.getByLabel('Value').pressSequentially('fire')
    await page.getByRole('button', { name: 'Done' }).click()
    const [series] = await answerOf<Trend[]>({
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'signed up' }],
      dateRange: { date_from: '-30d' },
      properties: [{ key: '$browser', type: 'event', operator: 'icontains', value: 'fire' }],
    })
    await expect.poll(async () => (await tableNumbers())[0]?.[0]).toBe(series?.count)
    await page.goBack()
    await expect.poll(async () => new URL(page.url()).search).not.toContain('icontains')
  })

  it('an insight is deleted at once, comes back by Undo, and Back does not show it as alive', async () => {
    await demo.open('insights')
    await page.getByRole('row', { name: /Mine: Paths/ }).click()
    await page.waitForURL(/insights\/\w{8}$/)
    await settled(page)
    const remove = async () => {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.waitForURL('**/insights')
      await page.getByRole('row', { name: /Mine: Trends/ }).waitFor()
      await page.getByRole('row', { name: /Mine: Paths/ }).waitFor({ state: 'detached' })
    }
    await remove()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: /Mine: Paths/ }).click()
    await settled(page)
    // Its own page stands before this one in the history, too.
    await page.getByLabel('Custom events').check()
    await page.waitForURL(/\?q=/)
    await remove()
    const wrong = demo.visitor.problems.length
    await page.goBack()
    await page.getByText('Not found').waitFor()
    await page.getByRole('heading', { name: 'Mine: Paths' }).waitFor({ state: 'detached' })
    // What was refused is noted once its body has come.
    await expect.poll(() => demo.visitor.problems.length).toBeGreaterThan(wrong)
    expect(demo.visitor.problems.splice(wrong).every((problem) => problem.startsWith('404'))).toBe(true)
  })

  it('nothing went wrong on the way', () => {
    expect(demo.visitor.problems).toEqual([])
  })
})
