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

async function answerOf<R>(query: object): Promise<R> {
  const { status, body, text } = await demo.service.api('query/', { body: { query } })
  if (status !== 200) throw new Error(`${status}: ${text}\n${demo.service.output().slice(-2_000)}`)
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
  await breakDownBy('Choose a property or cohort', 'Browser')
  await breakDownBy('Add a breakdown', 'Device type')
  await breakDownBy('Add a breakdown', 'Operating system')
  await expect.poll(() => page.getByRole('button', { name: 'Add a breakdown' }).count()).toBe(0)
  await page.getByLabel('Values shown').selectOption('3')
  const question = {
    kind: 'TrendsQuery',
    dateRange: { date_from: '-29d' },
    series: [{ kind: 'EventsNode', event: '$pageview' }],
  }
  const breakdowns = ['$browser', '$device_type', '$os'].map((property) => ({ property, type: 'event' }))
  const all = await answerOf<Trend[]>({ ...question, breakdownFilter: { breakdowns, breakdown_limit: 3 } })
  expect(all).toHaveLength(4)
  await expect.poll(totals).toEqual(all.map(({ count }) => count))
  await expect.poll(async () => (await rowNames()).at(-1)).toBe('Other')
  await expect.poll(async () => (await rowNames())[0]).toBe([all[0]?.breakdown_value].flat().join(' · '))
  await keepScreenshot(page, 'breakdowns-three')
  await page.getByLabel('Hide “Other”').check()
  await expect.poll(totals).toEqual(all.slice(0, 3).map(({ count }) => count))

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
  await expect.poll(() => page.locator('.people-row').count()).toBeGreaterThan(0)
  await page.keyboard.press('Escape')
})

it('numbers are broken down into ranges', async () => {
  await demo.openInsight({ kind: 'trends', series: [{ event: 'upgraded plan' }], from: '-59d' })
  await breakDownBy('Choose a property or cohort', 'amount')
  await page.getByLabel('Ranges of amount').selectOption('4')
  const series = await answerOf<Trend[]>({
    kind: 'TrendsQuery',
    dateRange: { date_from: '-59d' },
    series: [{ kind: 'EventsNode', event: 'upgraded plan' }],
    breakdownFilter: { breakdown: 'amount', breakdown_type: 'event', breakdown_histogram_bin_count: 4 },
  })
  await expect.poll(totals).toEqual(series.map(({ count }) => count))
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
  await expect.poll(totals).toEqual([either])
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
  if (both) await expect.poll(totals).toEqual([both])
  await keepScreenshot(page, 'filter-groups')
  expect(await accessibilityProblems(page, 'groups of filters')).toEqual([])
  await part.getByLabel('How groups are joined').selectOption('any')
  await expect.poll(totals).toEqual([await count({ ...nested, type: 'OR' })])
  await part.getByRole('button', { name: 'Remove group 2' }).click()
  await expect.poll(totals).toEqual([either])
})

it('every insight opens in SQL with its numbers, or says why it does not', async () => {
  const dialog = page.getByRole('dialog', { name: 'SQL for this result' })
  const series = [{ event: '$pageview' }, { event: 'completed task', math: 'dau', name: 'Busy `people`' }]
  const breakdown = [{ property: 'plan', type: 'person' }]
  await demo.openInsight({ kind: 'trends', series, breakdown, compare: true, testAccounts: true, from: '-29d' })
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await dialog.getByRole('link', { name: 'Open in SQL' }).waitFor()
  await keepScreenshot(page, 'sql-dialog')
  expect(await accessibilityProblems(page, 'SQL of a trend')).toEqual([])
  const query = await dialog.locator('pre').first().textContent()
  const rows = await answerOf<[string, string, string, string, number][]>({ kind: 'HogQLQuery', query })
  const counted = (series: string, period: string) =>
    rows.filter((row) => row[0] === series && row[1] === period).reduce((sum, row) => sum + row[4], 0)
  const answered = await answerOf<{ count: number; compare_label: string; action: { id: string } }[]>({
    kind: 'TrendsQuery',
    series: [
      { kind: 'EventsNode', event: '$pageview' },
      { kind: 'EventsNode', event: 'completed task', math: 'dau' },
    ],
    dateRange: { date_from: '-29d' },
    breakdownFilter: { breakdown: 'plan', breakdown_type: 'person', breakdown_limit: 10 },
    compareFilter: { compare: true },
    filterTestAccounts: true,
  })
  for (const [name, id] of [
    ['$pageview', '$pageview'],
    ['Busy `people`', 'completed task'],
  ] as const)
    for (const period of ['current', 'previous']) {
      const own = answered.filter(({ action, compare_label }) => action.id === id && compare_label === period)
      expect(counted(name, period)).toBe(own.reduce((sum, { count }) => sum + count, 0))
    }
  expect(counted('$pageview', 'current')).toBeGreaterThan(100)
  await page.getByRole('link', { name: 'Open in SQL' }).click()
  await page.waitForURL('**/sql?**')
  await settled(page)
  await page.getByRole('region', { name: 'Result' }).waitFor()

  await demo.openInsight({ kind: 'lifecycle', series: [{ event: 'completed task' }] })
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await page.getByRole('link', { name: 'Open in SQL' }).click()
  await page.waitForURL('**/sql?**')
  await settled(page)
  await page.getByRole('cell', { name: 'dormant' }).first().waitFor()

  await demo.openInsight({ kind: 'trends', series, formula: 'A / B' })
  await page.getByRole('button', { name: 'SQL', exact: true }).click()
  await dialog.getByText('It has a formula over its series.', { exact: false }).waitFor()
  await expect.poll(() => dialog.getByRole('link', { name: 'Open in SQL' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Close' }).click()
})

it('cohorts are compared side by side, with the numbers of the API, and lead to their people', async () => {
  const cohort = async (name: string, value: string) => {
    const values = [{ key: 'plan', type: 'person', operator: 'exact', value: [value] }]
    const filters = { properties: { type: 'OR', values: [{ type: 'AND', values }] } }
    return (await demo.service.api('cohorts/', { body: { name, filters } })).body.id as number
  }
  const [team, free] = [await cohort('Teams', 'team'), await cohort('Freeloaders', 'free')]
  await demo.openInsight({ kind: 'trends', series: [{ event: '$pageview', math: 'dau' }], from: '-29d' })
  await breakDownBy('Choose a property or cohort', 'Teams')
  await breakDownBy('Add a cohort', 'Freeloaders')
  await breakDownBy('Add a cohort', 'Everyone')
  const asked = await answerOf<{ data: number[]; breakdown_name: string }[]>({
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
    dateRange: { date_from: '-29d' },
    breakdownFilter: { breakdown: [team, free, 'all'], breakdown_type: 'cohort' },
  })
  expect(asked.map(({ breakdown_name }) => breakdown_name)).toEqual(['Teams', 'Freeloaders', 'all users'])
  const cells = async () =>
    Promise.all(
      (await page.locator('.data-table tbody tr').all()).map(async (row) => [
        await row.locator('th').textContent(),
        ...(await row.locator('td').allTextContents()).slice(1).map(Number),
      ]),
    )
  await expect.poll(cells).toEqual(asked.map(({ data }, at) => [['Teams', 'Freeloaders', 'Everyone'][at], ...data]))
  const place = asked[0]?.data.findIndex((count) => count > 0) ?? 0
  await page
    .locator('.data-table tbody tr')
    .first()
    .locator('td')
    .nth(place + 1)
    .getByRole('button')
    .click()
  await expect.poll(() => page.locator('.people-row').count()).toBe(asked[0]?.data[place])
  await page.keyboard.press('Escape')
  // A property takes the place of all cohorts: they do not combine.
  await page.getByRole('region', { name: 'Breakdown' }).getByRole('button', { name: 'Teams', exact: true }).click()
  await page.getByRole('combobox', { name: 'Properties' }).fill('Browser')
  await page
    .getByRole('option', { name: /^Browser/ })
    .first()
    .click()
  await page.getByLabel('Values shown').waitFor()
  await expect
    .poll(() => page.getByRole('region', { name: 'Breakdown' }).locator('.pick').allTextContents())
    .toEqual(['Browser'])
  for (const kind of ['funnel', 'retention'] as const) {
    const steps = [{ event: '$pageview' }, { event: 'signed up' }].slice(0, kind === 'funnel' ? 2 : 1)
    await demo.openInsight({
      kind,
      series: steps,
      from: '-29d',
      breakdown: [team, 'all'].map((id) => ({ property: String(id), type: 'cohort' })),
    })
    await page.locator('main').getByText('Teams').first().waitFor()
    await page.locator('main').getByText('Everyone').first().waitFor()
  }
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
  await breakDownBy('Choose a property or cohort', 'Browser')
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
  await expect.poll(() => lines.count()).toBe(values.length)
  const [first = ''] = values
  const people = rows
    .filter(({ breakdown_value }) => breakdown_value === first)
    .reduce((sum, { values: cells }) => sum + (cells[0]?.count ?? 0), 0)
  await expect.poll(() => lines.first().locator('td').first().textContent()).toBe(people.toLocaleString('en'))
  await page.locator('.retention').getByRole('button', { name: first, exact: true }).click()
  await expect.poll(() => lines.count()).toBe(values.length + 8)
  await keepScreenshot(page, 'retention-breakdown')
  expect(await accessibilityProblems(page, 'retention')).toEqual([])
  const cell = page.locator('.heat:enabled').first()
  const wanted = numberOf((await cell.getAttribute('title'))?.split(' of ')[0] ?? '')
  await cell.click()
  await expect.poll(() => page.locator('.people-row').count()).toBe(Math.min(wanted, 100))
  await page.keyboard.press('Escape')
})
