import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot } from '../support/browser.ts'

/** Menus, lists to choose from and dialogs, by the keyboard alone. */
let app: App

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture(
      ['signed up', 'paid', 'left'].map((event) => ({ event, distinct_id: 'ada', properties: { plan: 'pro' } })),
    )
    await service.waitFor(async () => (await service.api('event_definitions/')).body?.count === 3)
  })
})
afterAll(() => app?.close())

describe('by the keyboard', () => {
  it('a list to choose from takes what is typed, and gives the focus back to its button', async () => {
    const { page } = app
    await app.openInsight({ kind: 'trends', series: [{ event: 'signed up' }], from: '-7d' })
    const button = page.getByRole('button', { name: 'Filter', exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
    const search = page.getByRole('combobox', { name: 'Properties' })
    await search.and(page.locator(':focus')).waitFor()
    await page.locator('.picker-choice').first().waitFor()
    expect(await accessibilityProblems(page, 'a list to choose from')).toEqual([])
    await page.keyboard.type('nothing has this name')
    // What is typed is offered as it is.
    await page.getByRole('option', { name: '"nothing has this name"' }).waitFor()
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
  })

  it('a menu moves by arrows, closes on Esc, and gives the focus back', async () => {
    const { page } = app
    const button = page.getByRole('button', { name: /^Account of/ })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Account and password' }).and(page.locator(':focus')).waitFor()
    expect(await accessibilityProblems(page, 'a menu')).toEqual([])
    await keepScreenshot(page, 'account-menu')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Personal API keys' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
  })

  it('Esc closes what is on top only: a list in a dialog, then the dialog', async () => {
    const { page } = app
    await app.open('actions')
    await page.getByRole('button', { name: 'New action' }).click()
    const dialog = page.getByRole('dialog', { name: 'New action' })
    await dialog.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('combobox', { name: 'Properties' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Properties' }).waitFor({ state: 'detached' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('tabs move by arrows', async () => {
    const { page } = app
    await app.open('definitions')
    await page.getByRole('tab', { name: 'Events', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL('**/definitions?view=event')
    await page.getByRole('tab', { name: 'Event properties', selected: true }).and(page.locator(':focus')).waitFor()
  })

  it('nothing went wrong on the way', () => {
    expect(app.visitor.problems).toEqual([])
  })
})
