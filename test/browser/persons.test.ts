import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { keepScreenshot, settled, type Visit } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'

/** Enough for a dozen pages of the list; the last of them is not full. */
const MANY = 1_234

let app: App
let service: TestService
let visitor: Visit
let page: Page
let open: App['open']
const asked = new Set<string>()

const someone = (i: number) => ({
  event: '$identify',
  distinct_id: `user-${i}`,
  // The list begins with the newest.
  timestamp: new Date(Date.now() - (i + 1) * 60_000).toISOString(),
  properties: { $set: { email: `user-${i}@example.com`, ...(i < 4 ? OF_THE_FIRST[i] : {}) } },
})
const OF_THE_FIRST = [
  { seats: 3, city: 'Oslo', since: '2024-01-10' },
  { seats: 12, city: 'Bergen', since: '2024-03-10' },
  { seats: '7', city: 'oslofjord' },
  { city: 'Rome' },
]

beforeAll(async () => {
  app = await openApp(async (service) => {
    const everybody = Array.from({ length: MANY }, (_, i) => someone(i))
    for (let i = 0; i < MANY; i += 500) await service.capture(everybody.slice(i, i + 500))
    await service.stored()
  })
  ;({ service, visitor, page, open } = app)
  page.on('request', (request) => {
    if (request.url().includes('/persons/?')) asked.add(request.url())
  })
})
afterAll(() => app?.close())

const row = (name: string) => page.getByRole('row', { name, exact: false })
async function scrollTo(share: number): Promise<void> {
  await page.locator('.table-box tbody tr').first().waitFor()
  await page.evaluate(
    `{ const box = document.querySelector('.table-box'); box.scrollTop = ${share} * box.scrollHeight }`,
  )
}

describe('the list of persons', () => {
  it('is one table of everybody; rows come from the service when they are looked at', async () => {
    await open('persons')
    await page.getByText('1,234 people').waitFor()
    await row('user-0@example.com').waitFor()
    expect(asked.size).toBe(1)
    await expect.poll(() => page.locator('tbody tr').count()).toBeLessThan(60)
    await scrollTo(1)
    await row(`user-${MANY - 1}@example.com`).waitFor()
    await settled(page)
    // The pages in between were never in sight.
    expect(asked.size).toBeLessThan(5)
    await expect.poll(() => page.locator('tbody tr').count()).toBeLessThan(60)
    await keepScreenshot(page, 'persons-end')
  })

  it('is where one left it when one comes back from a person', async () => {
    await open('persons')
    await scrollTo(0.5)
    await row('user-620@example.com').click()
    await page.waitForURL('**/persons/*-*')
    await page.goBack()
    await row('user-620@example.com').waitFor()
    expect(new URL(page.url()).searchParams.get('offset')).toMatch(/^6\d\d$/)
  })

  it('shows nobody twice and leaves nobody out when somebody arrives meanwhile', async () => {
    await open('persons')
    await row('user-0@example.com').waitFor()
    await service.capture({ event: 'came', distinct_id: 'late', timestamp: new Date().toISOString() })
    await service.stored()
    expect((await service.api('persons/?limit=1')).body.count).toBe(MANY + 1)
    await scrollTo(100 / MANY)
    for (const i of [98, 99, 100, 101]) await row(`user-${i}@example.com`).waitFor()
    await settled(page)
    await expect.poll(() => row('user-99@example.com').count()).toBe(1)
  })

  it('is narrowed by a search that the address carries', async () => {
    await open('persons')
    await scrollTo(1)
    await page.getByLabel('Search persons').fill('user-77@')
    await page.getByText('1 person match').waitFor()
    await row('user-77@example.com').waitFor()
    await page.waitForURL(/search=user-77/)
    await page.reload()
    await page.getByText('1 person match').waitFor()
    await page.getByLabel('Search persons').fill('nobody has this')
    await page.getByText('No matches').waitFor()
    await page.getByLabel('Search persons').fill('')
    await page.getByText('1,235 people').waitFor()
  })

  // One of each operator that the page offers: the test below fails when one is missing here.
  const FILTERS: Record<string, { key: string; value?: string | string[]; finds: (number | 'all but')[] }> = {
    is: { key: 'city', value: ['Oslo', 'Rome'], finds: [0, 3] },
    'is not': { key: 'city', value: ['Oslo'], finds: ['all but', 0] },
    contains: { key: 'city', value: 'OSLO', finds: [0, 2] },
    'does not contain': { key: 'city', value: 'oslo', finds: ['all but', 0, 2] },
    'matches regex': { key: 'city', value: '^[A-Z].*n$', finds: [1] },
    'does not match regex': { key: 'city', value: '^[A-Z]', finds: ['all but', 0, 1, 3] },
    'greater than': { key: 'seats', value: '3', finds: [1, 2] },
    'at least': { key: 'seats', value: '3', finds: [0, 1, 2] },
    'less than': { key: 'seats', value: '7', finds: [0] },
    'at most': { key: 'seats', value: '7', finds: [0, 2] },
    'is set': { key: 'seats', finds: [0, 1, 2] },
    'is not set': { key: 'seats', finds: ['all but', 0, 1, 2] },
    before: { key: 'since', value: '2024-02-01', finds: [0] },
    after: { key: 'since', value: '2024-02-01', finds: [1] },
  }

  it('is filtered by a property in every way that the page offers', async () => {
    await open('persons')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('combobox', { name: 'Properties' }).fill('city')
    await page.getByRole('option', { name: 'city' }).waitFor()
    await page.keyboard.press('Enter')
    const form = page.getByRole('dialog', { name: 'Filter on city' })
    await expect
      .poll(() => form.getByLabel('Operator').locator('option').allTextContents())
      .toEqual(Object.keys(FILTERS))
    // Values that the property has are offered.
    await form.getByRole('button', { name: 'Bergen' }).click()
    await row('user-1@example.com').waitFor()
    await page.getByText('1 person match').waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  })

  it.each(Object.entries(FILTERS))('finds who "%s" speaks of', async (label, { key, value, finds }) => {
    const filter = { key, type: 'person', operator: 'exact', value: ['x'] }
    await open(`persons?filters=${encodeURIComponent(JSON.stringify([filter]))}`)
    await page.getByRole('button', { name: new RegExp(`^${key} is`) }).click()
    const form = page.getByRole('dialog', { name: `Filter on ${key}` })
    if (label === 'is' || label === 'is not') await form.getByRole('button', { name: 'Remove x' }).click()
    await form.getByLabel('Operator').selectOption({ label })
    for (const one of value === undefined ? [] : [value].flat()) {
      await form.getByLabel('Value').fill(one)
      if (Array.isArray(value)) await page.keyboard.press('Enter')
    }
    await page.keyboard.press('Escape')
    const but = finds[0] === 'all but'
    const named = finds.filter((one) => one !== 'all but')
    const count = but ? MANY + 1 - named.length : named.length
    await page.getByText(`${count.toLocaleString('en')} ${count === 1 ? 'person' : 'people'} match`).waitFor()
    await settled(page)
    for (const i of named) await expect.poll(() => row(`user-${i}@example.com`).count()).toBe(but ? 0 : 1)
  })

  it('nothing went wrong on the way', () => {
    expect(visitor.problems).toEqual([])
  })
})
