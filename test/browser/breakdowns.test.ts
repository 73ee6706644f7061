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
  await page.getByRole('button', { name: first, exact: true }).click()
  expect(await lines.count()).toBe(values.length + 8)
  await keepScreenshot(page, 'retention-breakdown')
  expect(await accessibilityProblems(page, 'retention')).toEqual([])
  const cell = page.locator('.heat:enabled').first()
  const wanted = numberOf((await cell.getAttribute('title'))?.split(' of ')[0] ?? '')
  await cell.click()
  await expect.poll(() => page.locator('.people-row').count(), PATIENCE).toBe(Math.min(wanted, 100))
  await page.keyboard.press('Escape')
})
