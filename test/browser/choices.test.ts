import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { accessibilityProblems, keepScreenshot } from '../support/browser.ts'

/** Menus, lists to choose from and dialogs, by the keyboard alone. */
let app: App

beforeAll(async () => {
  app = await openApp(async (service) => {
    await service.capture(
      ['signed up', 'paid', 'left'].map((event) => ({
        event,
        distinct_id: 'ada',
        properties: { plan: 'pro', $set: { age: '40' } },
      })),
    )
    await service.stored()
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

  it('a property that was chosen offers its values at once, and Esc closes them wherever the focus is', async () => {
    const { page } = app
    await app.openInsight(SIGN_UPS)
    await chooseProperty('plan')
    const form = page.getByRole('dialog', { name: 'Filter on plan' })
    await form.getByLabel('Value').and(page.locator(':focus')).waitFor()
    await form.getByRole('button', { name: 'pro', exact: true }).waitFor()
    const done = await form.getByRole('button', { name: 'Done' }).evaluate((button) => ({
      room: button.clientWidth >= button.scrollWidth,
      wide: button.clientWidth > 60,
    }))
    expect(done).toEqual({ room: true, wide: true })
    const chip = page.getByRole('button', { name: /^plan is/ })
    for (const place of ['select', 'input', 'li button', 'button[type=submit]', null]) {
      if (place) await form.locator(place).first().focus()
      else await page.evaluate('document.activeElement.blur()')
      await page.keyboard.press('Escape')
      await form.waitFor({ state: 'detached' })
      if (place) await chip.click()
    }
  })

  it('what is typed as a value counts without Enter', async () => {
    const { page } = app
    await app.openInsight(SIGN_UPS)
    await chooseProperty('plan')
    await page.getByLabel('Value').fill('pro')
    await page.getByRole('heading', { name: 'Filters' }).click()
    await page.getByRole('button', { name: 'plan is pro' }).waitFor()
  })

  it('lists have room above the bar of a phone, and in a dialog', async () => {
    const { page } = app
    await page.setViewportSize({ width: 390, height: 700 })
    await app.openInsight(SIGN_UPS)
    await page.getByRole('button', { name: 'Add a filter' }).click()
    const popover = page.locator('.popover')
    await page.locator('.picker-choice').first().waitFor()
    const bar = await page.locator('.rail').boundingBox()
    await expect
      .poll(async () => {
        const box = await popover.boundingBox()
        return box !== null && bar !== null && box.y >= 0 && box.y + box.height <= bar.y && box.x + box.width <= 390
      })
      .toBe(true)
    await keepScreenshot(page, 'picker-on-a-phone')
    await page.keyboard.press('Escape')
    await app.open('cohorts')
    await page.getByRole('button', { name: 'New cohort' }).first().click()
    await page.getByRole('button', { name: 'Add a property' }).click()
    await page.locator('.picker-choice').first().waitFor()
    const shown = () =>
      popover.evaluate((box) => {
        const { left, right, top, bottom } = box.getBoundingClientRect()
        const corners = [
          [left + 4, top + 4],
          [right - 4, bottom - 4],
        ] as const
        return corners.every(([x, y]) => box.contains(box.ownerDocument.elementFromPoint(x, y)))
      })
    // It is placed once more when the list is there.
    await expect.poll(shown).toBe(true)
    await page.setViewportSize({ width: 1280, height: 860 })
  })
})

const SIGN_UPS = { kind: 'trends', series: [{ event: 'signed up' }], from: '-7d' }

async function chooseProperty(name: string, button = 'Add a filter'): Promise<void> {
  const { page } = app
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('combobox', { name: 'Properties' }).fill(name)
  await page.getByRole('option', { name }).first().waitFor()
  await page.keyboard.press('Enter')
}

describe('a condition without a value', () => {
  it('stays visible as unfinished, and the answer says that it was left out', async () => {
    const { page } = app
    await app.openInsight(SIGN_UPS)
    await chooseProperty('plan')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'plan is choose a value' }).waitFor()
    const note = page.getByText('Not applied, because it has no value yet: plan is …')
    await note.waitFor()
    expect(await accessibilityProblems(page, 'an unfinished condition')).toEqual([])
    await keepScreenshot(page, 'unfinished-condition')
    await page.getByRole('button', { name: /^plan is/ }).click()
    await page.getByRole('button', { name: 'pro', exact: true }).click()
    await note.waitFor({ state: 'detached' })
  })

  it('keeps a cohort from being saved', async () => {
    const { page } = app
    await app.open('cohorts')
    await page.getByRole('button', { name: 'New cohort' }).first().click()
    const form = page.getByRole('dialog', { name: 'New cohort' })
    await form.getByLabel('Name').fill('Nobody yet')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('without one the cohort would contain everybody').waitFor()
    await chooseProperty('age', 'Add a property')
    await page.keyboard.press('Escape')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('"age is …" has no value yet. Choose one, or remove the condition.').waitFor()
    await keepScreenshot(page, 'unfinished-cohort')
    expect((await app.service.api('cohorts/')).body.count).toBe(0)
    await page.keyboard.press('Escape')
  })
})

describe('dates that cannot be', () => {
  /** What the page asks of the service while it opens, but for the names of tables and properties, with samples. */
  const askedBy = async (path: string): Promise<string[]> => {
    const asked: string[] = []
    const note = (request: { url(): string; method(): string; postData(): string | null }) => {
      const isQuery = /\/query\/|session_recordings\/\?/.test(request.url()) && request.method() !== 'GET'
      if (isQuery && !/DatabaseSchemaQuery|select properties from/.test(request.postData() ?? ''))
        asked.push(request.url())
      if (/session_recordings\/\?/.test(request.url())) asked.push(request.url())
    }
    app.page.on('request', note)
    await app.open(path)
    app.page.off('request', note)
    return asked
  }
  const insight = (dates: object) => `insights/new?q=${encodeURIComponent(JSON.stringify({ ...SIGN_UPS, ...dates }))}`

  it.each([
    ['an insight', insight({ from: 'yesteryear' }), 'The start "yesteryear" is not a date'],
    ['an insight, not even a text', insight({ from: { a: 1 } }), 'The start "{"a":1}" is not a date'],
    ['an insight, reversed', insight({ from: '2026-03-01', to: '2026-02-01' }), 'lies before the start, 1 Mar 2026'],
    ['recordings', 'recordings?from=2026-02-30', 'The start "2026-02-30" is not a date'],
    ['SQL', `sql?sql=${encodeURIComponent('select 1 from events where {filters}')}&to=2026-01-01`, 'no start'],
  ])('in the address of %s are said at the field, and nothing is asked', async (_, path, words) => {
    expect(await askedBy(path)).toEqual([])
    await app.page.locator('.date-range [role=alert]').filter({ hasText: words }).waitFor()
    expect(await accessibilityProblems(app.page, path)).toEqual([])
  })

  it('are said in the picker', async () => {
    const { page } = app
    await app.openInsight(SIGN_UPS)
    await page.getByRole('button', { name: 'Last 8 days' }).click()
    const picker = page.getByRole('dialog', { name: 'Date range' })
    await picker.getByRole('button', { name: 'Apply' }).click()
    await picker.getByText('Type the first day.').waitFor()
    await picker.getByLabel('From').fill('2026-03-01')
    await picker.getByLabel('To').fill('2026-02-01')
    await picker.getByRole('button', { name: 'Apply' }).click()
    await picker.getByText('The end, 1 Feb 2026, lies before the start, 1 Mar 2026.').waitFor()
    await keepScreenshot(page, 'reversed-dates')
    expect(await accessibilityProblems(page, 'reversed dates')).toEqual([])
    await picker.getByLabel('To').fill('2026-03-04')
    await picker.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: '1 Mar – 4 Mar 2026' }).waitFor()
  })

  it('nothing went wrong on the way', () => {
    expect(app.visitor.problems).toEqual([])
  })
})
