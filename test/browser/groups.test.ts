import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot, type Visit } from '../support/browser.ts'
import { click, fullSnapshot, meta, upload } from '../support/recordings.ts'

let app: App
let visitor: Visit
let page: Page
let open: App['open']
let openInsight: App['openInsight']

const T0 = Date.now() - 3 * 3_600_000
const did = (event: string, who: string, company: string, minutes: number, properties: object = {}) => ({
  event,
  distinct_id: who,
  timestamp: new Date(T0 + minutes * 60_000).toISOString(),
  properties: {
    $session_id: `of-${who}`,
    $groups: { company },
    $set: { email: `${who}@example.com` },
    ...properties,
  },
})

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture([
      {
        event: '$groupidentify',
        distinct_id: 'ada',
        timestamp: new Date(T0).toISOString(),
        properties: {
          $group_type: 'company',
          $group_key: 'acme',
          $group_set: { name: 'Acme Boats', plan: 'scale', employees: 40 },
        },
      },
      // Ada and Ben work at the same time: their visits lie in each other.
      did('opened board', 'ada', 'acme', 1),
      did('opened board', 'ben', 'acme', 2),
      did('moved card', 'ada', 'acme', 3),
      did('moved card', 'ben', 'acme', 4),
      // Nobody ever said anything about Brig but its key.
      did('opened board', 'cem', 'brig', 5),
    ])
    await upload(service.url, {
      session: 'of-ada',
      distinctId: 'ada',
      events: [
        meta(T0 + 60_000, 'https://boats.example/board'),
        fullSnapshot(T0 + 60_000, 'A board'),
        click(T0 + 63_000),
      ],
    })
    await service.stored()
  })
  ;({ visitor, page, open, openInsight } = app)
})
afterAll(() => app?.close())

const COMPANIES = {
  kind: 'trends',
  series: [{ event: 'opened board', math: 'unique_group', groupIndex: 0 }],
  from: '-7d',
  display: 'number',
}
const panel = () => page.getByRole('complementary', { name: /opened board/ })

describe('groups', () => {
  it('stand behind a number that counts them, and each row leads to its page', async () => {
    await openInsight(COMPANIES)
    await page.locator('.number-face').click()
    await panel().getByText('2 companies').waitFor()
    await panel()
      .getByRole('button', { name: /Acme Boats/ })
      .click()
    await page.waitForURL('**/groups/company/acme')
    await page.getByRole('heading', { name: 'Acme Boats' }).waitFor()
    await expect.poll(() => panel().count()).toBe(0)
  })

  it('have a page with their properties, people, events and recordings', async () => {
    await open('groups/company/acme')
    await page.getByText('scale', { exact: true }).waitFor()
    const people = async () => (await page.locator('.people-name').allTextContents()).sort()
    await expect.poll(people).toEqual(['ada@example.com', 'ben@example.com'])
    await keepScreenshot(page, 'group-people')
    expect(await accessibilityProblems(page, 'group')).toEqual([])

    await page.getByRole('tab', { name: 'Events' }).click()
    await page.waitForURL(/view=events/)
    // One block a visit, though the visits were at the same time.
    await expect.poll(() => page.locator('.session').count()).toBe(2)
    await page
      .locator('.session')
      .filter({ hasText: 'ada@example.com' })
      .getByRole('link', { name: 'Replay' })
      .waitFor()
    expect(await accessibilityProblems(page, 'events of a group')).toEqual([])
    await keepScreenshot(page, 'group-events')
    await page.getByRole('button', { name: 'ben@example.com' }).click()
    await page.getByRole('complementary', { name: 'Person' }).getByText('ben@example.com').first().waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('tab', { name: 'Recordings (1)' }).click()
    await page.locator('.recording-row').filter({ hasText: 'ada@example.com' }).waitFor()
  })

  it('have a page also when nothing but their key is known', async () => {
    await openInsight(COMPANIES)
    await page.locator('.number-face').click()
    await panel().getByRole('button', { name: /brig/ }).click()
    await page.waitForURL('**/groups/company/brig')
    await page.getByText('This group has no properties yet.').waitFor()
    await page.getByText('cem@example.com').waitFor()
  })

  it('are listed and searched, and the address carries the search', async () => {
    await open('groups')
    await page.getByRole('tab', { name: 'Companies' }).waitFor()
    await page.getByLabel('Search companies').fill('boat')
    await page.waitForURL(/search=boat/)
    await page.reload()
    await page.getByRole('row', { name: /Acme Boats/ }).waitFor()
    await page.getByLabel('Search companies').fill('nothing')
    await page.getByText('No matches').waitFor()
  })

  it('are filtered by values that their properties have', async () => {
    await openInsight({ kind: 'trends', series: [{ event: 'opened board' }] })
    await page.getByRole('button', { name: 'Filter', exact: true }).last().click()
    await page.getByRole('combobox', { name: 'Properties' }).fill('plan')
    await page.getByRole('option', { name: /plan/ }).first().waitFor()
    await page.keyboard.press('Enter')
    const form = page.getByRole('dialog', { name: 'Filter on plan' })
    await form.getByRole('button', { name: 'scale' }).click()
    await form.getByRole('button', { name: 'Remove scale' }).waitFor()
    await keepScreenshot(page, 'group-filter')
  })

  it('nothing went wrong on the way', () => {
    expect(visitor.problems).toEqual([])
  })
})
