import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('cohorts and actions', () => {
  it('a cohort is made of what people did, and shows who is in it', async () => {
    await demo.open('cohorts')
    expect(await accessibilityProblems(page, 'no cohorts')).toEqual([])
    await page.getByRole('button', { name: 'New cohort' }).click()
    const form = page.getByRole('dialog', { name: 'New cohort' })
    await form.getByLabel('Name').fill('Signed up lately')
    await form.getByRole('button', { name: 'Add behaviour' }).click()
    await form.getByRole('button', { name: 'Page view' }).click()
    await page.getByRole('option', { name: /signed up/ }).click()
    await keepScreenshot(page, 'cohort-form')
    expect(await accessibilityProblems(page, 'a new cohort')).toEqual([])
    await form.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/cohorts/*')
    await page.getByRole('heading', { name: 'Signed up lately' }).waitFor()
    await settled(page)
    const { body } = await demo.service.api('cohorts/?search=Signed')
    const [cohort] = body.results
    expect(cohort.count).toBeGreaterThan(0)
    await page.getByText(`${cohort.count} people now`).waitFor()
    await keepScreenshot(page, 'cohort')
    expect(await accessibilityProblems(page, 'a cohort')).toEqual([])
    await page.getByRole('button', { name: 'Change' }).click()
    const change = page.getByRole('dialog', { name: 'Edit cohort' })
    await change.getByLabel('Name').fill('Newcomers')
    await change.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Newcomers' }).waitFor()
  })

  it('a cohort is made of how often, in which order and how regularly, as the API finds it', async () => {
    await demo.open('cohorts')
    await page.getByRole('button', { name: 'New cohort' }).click()
    const form = page.getByRole('dialog', { name: 'New cohort' })
    await form.getByLabel('Name').fill('Busy and gone')
    await form.getByLabel('All or any of these').selectOption('any')
    const behaviour = form.getByRole('group', { name: 'Behaviour' })
    const add = async (how: string, place: number) => {
      await form.getByRole('button', { name: 'Add behaviour' }).click()
      await behaviour.nth(place).getByLabel('What they did').selectOption(how)
    }
    await add('times', 0)
    await behaviour.nth(0).getByLabel('How many times').fill('8')
    await add('sequence', 1)
    await behaviour.nth(1).getByRole('button', { name: 'Page view' }).last().click()
    await page.getByRole('option', { name: /created board/ }).click()
    await add('stopped', 2)
    await behaviour.nth(2).getByLabel('Recent time', { exact: true }).fill('40')
    await behaviour.nth(2).getByText('must be shorter').waitFor()
    await behaviour.nth(2).getByLabel('Recent time', { exact: true }).fill('12')
    await add('regularly', 3)
    await behaviour.nth(3).getByLabel('Length of a period: unit').selectOption('week')
    await behaviour.nth(3).getByLabel('Length of a period', { exact: true }).fill('1')
    await keepScreenshot(page, 'cohort-behaviours')
    expect(await accessibilityProblems(page, 'behaviours')).toEqual([])
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Busy and gone' }).waitFor()
    await settled(page)
    const [cohort] = (await demo.service.api('cohorts/?search=Busy')).body.results
    expect(cohort.filters.properties).toMatchObject({
      type: 'OR',
      values: [
        { value: 'performed_event_multiple', operator: 'gte', operator_value: 8 },
        { value: 'performed_event_sequence', seq_event: 'created board', seq_time_value: 7, seq_time_interval: 'day' },
        { value: 'stopped_performing_event', time_value: 30, seq_time_value: 12 },
        { value: 'performed_event_regularly', time_interval: 'week', min_periods: 3, total_periods: 4 },
      ],
    })
    expect(cohort.count).toBeGreaterThan(0)
    // It opens in the form as it was saved.
    await page.getByRole('button', { name: 'Change' }).click()
    const change = page.getByRole('dialog', { name: 'Edit cohort' })
    await expect.poll(() => change.getByRole('group', { name: 'Behaviour' }).count()).toBe(4)
    await expect.poll(() => change.getByLabel('How many times').first().inputValue()).toBe('8')
    await page.keyboard.press('Escape')
  })

  it('an action names events, shows them, and is counted', async () => {
    await demo.open('actions')
    await page.getByRole('button', { name: 'New action' }).click()
    const form = page.getByRole('dialog', { name: 'New action' })
    await form.getByLabel('Name').fill('Joined')
    await form.getByRole('button', { name: 'Page view' }).click()
    await page.getByRole('option', { name: /signed up/ }).click()
    await keepScreenshot(page, 'action-form')
    expect(await accessibilityProblems(page, 'a new action')).toEqual([])
    await form.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/actions/*')
    await page.getByRole('heading', { name: 'Joined' }).waitFor()
    await settled(page)
    await page
      .getByRole('row', { name: /signed up/ })
      .first()
      .waitFor()
    await keepScreenshot(page, 'action')
    expect(await accessibilityProblems(page, 'an action')).toEqual([])
    await page.getByRole('link', { name: 'Show as trend' }).click()
    await page.waitForURL('**/insights/new**')
    await settled(page)
    await page.getByRole('complementary', { name: 'Query builder' }).getByRole('button', { name: 'Joined' }).waitFor()
    await page.locator('.data-table-people').first().waitFor()
  })

  it('both are offered where a question is put together', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' })
    const question = page.getByRole('complementary', { name: 'Query builder' })
    await question.getByRole('button', { name: 'Add a series' }).click()
    await page.getByRole('option', { name: 'Joined' }).click()
    await question.getByRole('button', { name: 'Filter' }).last().click()
    await page.getByRole('option', { name: /Newcomers/ }).click()
    await question.getByRole('button', { name: 'in Newcomers' }).waitFor()
    await settled(page)
    await page
      .getByRole('row', { name: /Joined/ })
      .first()
      .waitFor()
    await keepScreenshot(page, 'insight-with-cohort')
    expect(await accessibilityProblems(page, 'an insight with an action and a cohort')).toEqual([])
  })

  it('the people behind a number are saved as a cohort', async () => {
    await demo.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-30d' })
    await page.locator('.data-table-people').first().click()
    const panel = page.getByRole('complementary', { name: /signed up/ })
    await panel.locator('.people-row').first().waitFor()
    await panel.getByRole('button', { name: 'Save as cohort' }).click()
    await page.waitForURL('**/cohorts/*')
    await page.getByText(/people now/).waitFor()
  })

  it.each([
    ['cohorts', 'Newcomers'],
    ['actions', 'Joined'],
  ])('one of the %s is deleted at once and comes back by Undo', async (list, name) => {
    await demo.open(list)
    const row = page.getByRole('row', { name: new RegExp(name) })
    const remove = async () => {
      await row.click()
      await page.getByRole('heading', { name }).waitFor()
      await settled(page)
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.waitForURL(`**/${list}`)
      await page.getByText(`Deleted ${name}.`).waitFor()
      await row.waitFor({ state: 'detached' })
    }
    await remove()
    await keepScreenshot(page, `undo-${list}`)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
    // The offer lasts ten seconds: its rules are checked where nobody needs it afterwards.
    await remove()
    expect(await accessibilityProblems(page, 'undo')).toEqual([])
    expect(demo.visitor.problems).toEqual([])
  })
})
