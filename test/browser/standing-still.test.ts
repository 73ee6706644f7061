import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, openBrowser, type TestBrowser, visit } from '../support/browser.ts'

/** The accessibility rules are checked on a page that stands still: a dimmed answer is no finding. */
let browser: TestBrowser
let page: Page

beforeAll(async () => {
  browser = await openBrowser()
  page = (await visit(browser)).page
})
afterAll(() => browser?.close())

const show = (answer: string) =>
  page.setContent(`<html lang="en"><title>One</title><main><h1>One</h1>${answer}</main></html>`)

it('waits until nothing is busy', async () => {
  await show('<p aria-busy="true" style="opacity: 0.3">The answer before</p>')
  await page.evaluate(
    'setTimeout(() => { document.querySelector("p").outerHTML = "<p>The next answer</p>" }, 500), undefined',
  )
  expect(await accessibilityProblems(page, 'one')).toEqual([])
  expect(await page.locator('p').textContent()).toBe('The next answer')
})

it('checks again when something was busy during the check', async () => {
  await show('<p>The answer</p>')
  await accessibilityProblems(page, 'puts the rules on the page')
  await page.evaluate(`{
    const { run } = axe
    window.runs = 0
    axe.run = async (...all) => {
      const answer = document.querySelector('p')
      if (++window.runs === 1) Object.assign(answer, { ariaBusy: 'true' }).style.opacity = 0.3
      const found = await run(...all)
      Object.assign(answer, { ariaBusy: null }).style.opacity = 1
      return found
    }
  }`)
  expect(await accessibilityProblems(page, 'one')).toEqual([])
  expect(await page.evaluate('runs')).toBe(2)
})

it('finds what has too little contrast', async () => {
  await show('<p style="opacity: 0.3">Hard to read</p>')
  expect(await accessibilityProblems(page, 'one')).toEqual([expect.stringContaining('one: color-contrast: p')])
})
