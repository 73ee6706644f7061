import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { App } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, settled } from '../support/browser.ts'
import { openDemo } from '../support/demo.ts'

let demo: App
let page: Page

beforeAll(async () => {
  demo = await openDemo({ visitors: 300 })
  page = demo.page
})
afterAll(() => demo?.close())

const PATIENCE = { timeout: 60_000 }

async function answerOf<R>(query: object): Promise<R> {
  const { status, body, text } = await demo.service.api('query/', { body: { query } })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return body.results
}

const numberOf = (text: string): number => Number(text.replaceAll(',', ''))
const rowNames = () => page.locator('.data-table tbody th').allTextContents()
const totals = async () => (await page.locator('.data-table tbody td:nth-child(2)').allTextContents()).map(numberOf)

async function breakDownBy(button: string, property: string): Promise<void> {
  await page.getByRole('region', { name: 'Breakdown' }).getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('combobox', { name: 'Properties' }).fill(property)
  await page.getByRole('option').filter({ hasText: property }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Properties' }).waitFor({ state: 'detached' })
}

interface Trend {
  breakdown_value: string | string[]
  count: number
}

it('three breakdowns at once, with a limit and without the others, have the numbers of the API', async () => {
  await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }] })
  await breakDownBy('Choose a property', 'Browser')
  await breakDownBy('Add a breakdown', 'Device type')
  await breakDownBy('Add a breakdown', 'Operating system')
  expect(await page.getByRole('button', { name: 'Add a breakdown' }).count()).toBe(0)
  await page.getByLabel('Values shown').selectOption('3')
  const question = {
    kind: 'TrendsQuery',
    dateRange: { date_from: '-29d' },
    series: [{ kind: 'EventsNode', event: '$pageview' }],
  }
  const breakdowns = ['$browser', '$device_type', '$os'].map((property) => ({ property, type: 'event' }))
  const all = await answerOf<Trend[]>({ ...question, breakdownFilter: { breakdowns, breakdown_limit: 3 } })
  expect(all).toHaveLength(4)
  await expect.poll(totals, PATIENCE).toEqual(all.map(({ count }) => count))
  expect((await rowNames()).at(-1)).toBe('Other')
  expect((await rowNames())[0]).toBe([all[0]?.breakdown_value].flat().join(' · '))
  await keepScreenshot(page, 'breakdowns-three')
  await page.getByLabel('Hide “Other”').check()
  await expect.poll(totals, PATIENCE).toEqual(all.slice(0, 3).map(({ count }) => count))

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/insights\/\w{8}$/)
  const { body } = await demo.service.api(`insights/?short_id=${page.url().split('/').pop()}`)
  expect(body.results[0].query.source.breakdownFilter).toEqual({
    breakdowns,
    breakdown_limit: 3,
    breakdown_hide_other_aggregation: true,
  })
  // The people behind one of the combinations.
  await page.locator('.data-table tbody tr').first().locator('button').first().click()
  await page.getByRole('complementary', { name: /·/ }).waitFor()
  await expect.poll(() => page.locator('.people-row').count(), PATIENCE).toBeGreaterThan(0)
  await page.keyboard.press('Escape')
})

it('numbers are broken down into ranges', async () => {
  await demo.openInsight({ kind: 'trends', series: [{ event: 'upgraded plan' }], from: '-59d' })
  await breakDownBy('Choose a property', 'amount')
  await page.getByLabel('Ranges of amount').selectOption('4')
  const series = await answerOf<Trend[]>({
    kind: 'TrendsQuery',
    dateRange: { date_from: '-59d' },
    series: [{ kind: 'EventsNode', event: 'upgraded plan' }],
    breakdownFilter: { breakdown: 'amount', breakdown_type: 'event', breakdown_histogram_bin_count: 4 },
  })
  await expect.poll(totals, PATIENCE).toEqual(series.map(({ count }) => count))
  for (const name of await rowNames()) expect(name).toMatch(/^-?[\d.]+ to -?[\d.]+$/)
  await keepScreenshot(page, 'breakdown-ranges')
})

it('filters in groups, all or any, have the numbers of the API', async () => {
  await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview' }] })
  const part = page.getByRole('region', { name: 'Filters' })
  const add = async (property: string, value: string, place = 0) => {
    await part.getByRole('button', { name: 'Add a filter' }).nth(place).click()
    await page.getByRole('combobox', { name: 'Properties' }).fill(property)
    await page.getByRole('option').filter({ hasText: property }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Value', { exact: true }).fill(value)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByLabel('Value', { exact: true }).waitFor({ state: 'detached' })
  }
  const filter = (key: string, value: string) => ({ key, type: 'event', operator: 'exact', value: [value] })
  const count = async (properties: object) =>
    (
      await answerOf<Trend[]>({
        kind: 'TrendsQuery',
        dateRange: { date_from: '-29d' },
        series: [{ kind: 'EventsNode', event: '$pageview' }],
        properties,
      })
    )[0]?.count
  const [safari, firefox] = [filter('$browser', 'Safari'), filter('$browser', 'Firefox')]
  await add('Browser', 'Safari')
  await add('Browser', 'Firefox')
  await part.getByLabel('All or any of the filters').selectOption('any')
  const either = await count({ type: 'OR', values: [safari, firefox] })
  expect(either).toBeGreaterThan(0)
  await expect.poll(totals, PATIENCE).toEqual([either])
  await part.getByRole('button', { name: 'Add a group' }).click()
  await add('Device type', 'Mobile', 1)
  await part.getByLabel('How groups are joined').selectOption('all')
  const nested = {
    type: 'AND',
    values: [
      { type: 'OR', values: [safari, firefox] },
      { type: 'AND', values: [filter('$device_type', 'Mobile')] },
    ],
  }
  const both = await count(nested)
  expect(both).toBeLessThan(either ?? 0)
  if (both) await expect.poll(totals, PATIENCE).toEqual([both])
  await keepScreenshot(page, 'filter-groups')
  expect(await accessibilityProblems(page, 'groups of filters')).toEqual([])
  await part.getByLabel('How groups are joined').selectOption('any')
  await expect.poll(totals, PATIENCE).toEqual([await count({ ...nested, type: 'OR' })])
  await part.getByRole('button', { name: 'Remove group 2' }).click()
  await expect.poll(totals, PATIENCE).toEqual([either])
})

it('a question in SQL has the same numbers, and opens in SQL', async () => {
  const dialog = page.getByRole('dialog', { name: 'SQL for this result' })
  /** The rows of the SQL that the page offers for a question. */
  const rows = async (draft: { from?: string; [field: string]: unknown }) => {
    await demo.openInsight(draft)
    await page.getByRole('button', { name: 'SQL', exact: true }).click()
    const query = await dialog.locator('pre').first().textContent()
    await dialog.getByRole('button', { name: 'Close' }).click()
    return answerOf<unknown[][]>({
      kind: 'HogQLQuery',
      query,
      filters: { dateRange: { date_from: draft.from ?? '-29d' } },
    })
  }
  const node = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, ...more })
  const filters = [{ key: '$browser', type: 'event', operator: 'is_not', value: ['Safari', "O'Brien"] }]
  const days = await rows({
    kind: 'trends',
    series: [{ event: '$pageview' }, { event: 'completed task', math: 'dau', name: 'Busy `people`' }],
    filters,
  })
  const series = await answerOf<{ data: number[] }[]>({
    kind: 'TrendsQuery',
    series: [node('$pageview'), node('completed task', { math: 'dau' })],
    properties: filters,
    dateRange: { date_from: '-29d' },
  })
  // Days on which nothing happened have no row.
  const numbers = (series[0]?.data ?? []).map((_, day) => series.map(({ data }) => data[day] ?? 0))
  expect(days.map(([, ...row]) => row)).toEqual(numbers.filter((row) => row.some((number) => number > 0)))

  const ranking = await rows({
    kind: 'trends',
    series: [{ event: 'upgraded plan', math: 'sum', property: 'amount' }],
    filterGroups: {
      match: 'any',
      groups: [
        { match: 'all', filters },
        { match: 'any', filters },
      ],
    },
    breakdown: [{ property: 'plan', type: 'event' }],
    display: 'ranking',
    from: '-59d',
  })
  const ranked = await answerOf<{ aggregated_value: number; breakdown_value: string }[]>({
    kind: 'TrendsQuery',
    series: [node('upgraded plan', { math: 'sum', math_property: 'amount' })],
    properties: filters,
    breakdownFilter: { breakdown: 'plan' },
    trendsFilter: { display: 'ActionsBarValue' },
    dateRange: { date_from: '-59d' },
  })
  expect(ranked.length).toBeGreaterThan(0)
  expect(ranking).toEqual(ranked.map(({ aggregated_value, breakdown_value }) => [breakdown_value, aggregated_value]))

  const [stuck] = await answerOf<{ data: number[] }[]>({
    kind: 'StickinessQuery',
    series: [node('completed task')],
    dateRange: { date_from: '-29d' },
  })
  const people = (stuck?.data ?? []).flatMap((count, index) => (count > 0 ? [[index + 1, count]] : []))
  expect(await rows({ kind: 'stickiness', series: [{ event: 'completed task' }] })).toEqual(people)

  const steps = ['signed up', 'created board', 'invited teammate']
  const reached = await answerOf<{ count: number }[]>({
    kind: 'FunnelsQuery',
    series: steps.map((event) => node(event)),
    dateRange: { date_from: '-59d' },
  })
  const funnel = { kind: 'funnel', series: steps.map((event) => ({ event })), from: '-59d' }
  expect(await rows(funnel)).toEqual([reached.map(({ count }) => count)])
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await dialog
    .getByText(/windowFunnel/)
    .first()
    .waitFor()
  await keepScreenshot(page, 'sql-dialog')
  expect(await accessibilityProblems(page, 'SQL of a funnel')).toEqual([])
  await page.getByRole('link', { name: 'Open in SQL' }).click()
  await page.waitForURL('**/sql?**')
  await settled(page)
  await page.getByText('1 signed up').first().waitFor()
})

it('retention, lifecycle and paths are SQL too, in which each number is that of the answer', async () => {
  // Hours of a zone that is not ours, and weeks that begin on Monday.
  await demo.service.api('/api/projects/1/', { method: 'PATCH', body: { timezone: 'Asia/Tokyo', week_start_day: 1 } })
  const KINDS: Record<string, string> = {
    retention: 'RetentionQuery',
    lifecycle: 'LifecycleQuery',
    paths: 'PathsQuery',
  }
  const both = async (draft: { kind: string; [field: string]: unknown }) => {
    const kind = `"kind":"${KINDS[draft.kind]}"`
    const answered = page
      .waitForResponse((answer) => answer.ok() && (answer.request().postData() ?? '').includes(kind))
      .then((answer) => answer.json())
    await demo.openInsight(draft)
    const { results } = await answered
    await page.getByRole('button', { name: 'SQL', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'SQL for this result' })
    await dialog.getByRole('link', { name: 'Open in SQL' }).waitFor()
    const query = await dialog.locator('pre').first().textContent()
    await dialog.getByRole('button', { name: 'Close' }).click()
    return { results, rows: await answerOf<[string, ...(string | number)[]][]>({ kind: 'HogQLQuery', query }) }
  }
  const filters = [{ key: '$browser', type: 'event', operator: 'exact', value: ['Chrome'] }]
  const days = (moment: unknown) => String(moment).slice(0, 10)
  const daily = { period: 'Day', firstTime: false }
  for (const more of [{ filters }, { firstTime: false }, { period: 'Day' }, daily]) {
    const asked = { series: [{ event: 'signed up' }], returning: 'completed task', period: 'Week', ...more }
    const { results, rows } = await both({ kind: 'retention', ...asked })
    const cells = (results as { date: string; values: { count: number }[] }[]).flatMap(({ date, values }) =>
      values.flatMap(({ count }, later) => (count > 0 ? [[days(date), later, count]] : [])),
    )
    expect(cells.length).toBeGreaterThan(2)
    expect(
      rows.map(([came, ...rest]) => [days(came), ...rest]),
      JSON.stringify(more),
    ).toEqual(cells)
  }
  for (const interval of ['day', 'week']) {
    const { results, rows } = await both({ kind: 'lifecycle', series: [{ event: 'completed task' }], interval })
    const cells = (results as { status: string; days: string[]; data: number[] }[]).flatMap(({ status, ...of }) =>
      of.data.flatMap((count, at) => (count === 0 ? [] : [`${days(of.days[at])} ${status} ${Math.abs(count)}`])),
    )
    expect(rows.map(([day, ...rest]) => [days(day), ...rest].join(' ')).toSorted()).toEqual(cells.toSorted())
  }
  for (const more of [{}, { startPoint: 'https://harbour.example/pricing' }, { pathTypes: ['custom_event'] }]) {
    const { results, rows } = await both({ kind: 'paths', series: [], from: '-29d', steps: 4, ...more })
    const edges = (results as { source: string; target: string; value: number }[]).map((edge) =>
      [edge.source, edge.target, edge.value].join(' '),
    )
    expect(edges.length).toBeGreaterThan(2)
    expect(rows.map((row) => row.join(' '))).toEqual(expect.arrayContaining(edges))
  }
  await demo.service.api('/api/projects/1/', { method: 'PATCH', body: { timezone: 'UTC', week_start_day: 0 } })
  await demo.openInsight({ kind: 'lifecycle', series: [{ event: 'completed task' }] })
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await page.getByRole('link', { name: 'Open in SQL' }).click()
  await page.waitForURL('**/sql?**')
  await settled(page)
  await page.getByRole('cell', { name: 'dormant' }).first().waitFor()
})

it('a changed insight is saved as a new one beside the old', async () => {
  await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }] })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/insights\/\w{8}$/)
  const first = page.url()
  await page.getByLabel('Interval').selectOption('week')
  await page.getByRole('button', { name: 'Save as new' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('By week')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'By week' }).waitFor()
  expect(page.url()).not.toBe(first)
  const { body } = await demo.service.api(`insights/?short_id=${first.split('/').pop()}`)
  expect(body.results[0].query.source.interval).toBe('day')
})

it('retention is broken down too: a line and a curve a value, its start dates behind it', async () => {
  await demo.openInsight({
    kind: 'retention',
    series: [{ event: 'signed up' }],
    returning: 'completed task',
    period: 'Week',
  })
  await breakDownBy('Choose a property', 'Browser')
  await settled(page)
  const rows = await answerOf<{ breakdown_value: string; values: { count: number }[] }[]>({
    kind: 'RetentionQuery',
    dateRange: { date_from: '-7w' },
    retentionFilter: {
      retentionType: 'retention_first_time',
      period: 'Week',
      totalIntervals: 8,
      targetEntity: { id: 'signed up', type: 'events' },
      returningEntity: { id: 'completed task', type: 'events' },
    },
    breakdownFilter: { breakdown: '$browser', breakdown_type: 'event', breakdown_limit: 10 },
  })
  const values = [...new Set(rows.map(({ breakdown_value }) => breakdown_value))]
  expect(values.length).toBeGreaterThan(1)
  const lines = page.locator('.retention tbody tr')
  await expect.poll(() => lines.count(), PATIENCE).toBe(values.length)
  const [first = ''] = values
  const people = rows
    .filter(({ breakdown_value }) => breakdown_value === first)
    .reduce((sum, { values: cells }) => sum + (cells[0]?.count ?? 0), 0)
  expect(await lines.first().locator('td').first().textContent()).toBe(people.toLocaleString('en'))
  await page.locator('.retention').getByRole('button', { name: first, exact: true }).click()
  expect(await lines.count()).toBe(values.length + 8)
  await keepScreenshot(page, 'retention-breakdown')
  expect(await accessibilityProblems(page, 'retention')).toEqual([])
  const cell = page.locator('.heat:enabled').first()
  const wanted = numberOf((await cell.getAttribute('title'))?.split(' of ')[0] ?? '')
  await cell.click()
  await expect.poll(() => page.locator('.people-row').count(), PATIENCE).toBe(Math.min(wanted, 100))
  await page.keyboard.press('Escape')
})
