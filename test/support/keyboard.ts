import type { Locator, Page } from 'playwright-core'

/** What can be done by the keyboard alone, as a page says it itself. */

/** In the page: which elements the tab key should reach. Of radio buttons and tabs it reaches one, arrows the others. */
const HELPERS = `
  const CONTROLS = 'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable="true"]'
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]')
  const takesTab = (one) => one.matches(CONTROLS) && one.tabIndex >= 0 && !one.disabled && isShown(one)
  const inTurn = (one) =>
    one.type !== 'radio' || one.checked || ![...document.getElementsByName(one.name)].some(({ checked }) => checked)
  const nameOf = (one) => one.tagName.toLowerCase() + '.' + (one.getAttribute('class') ?? '') + ' ' +
    (one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)
`

/** What shows a hand under the pointer and is no control, nor part of one, that the tab key (or arrows) can reach. */
export function onlyByPointer(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    ${HELPERS}
    const isHand = (one) => one !== null && getComputedStyle(one).cursor === 'pointer'
    const reached = (one) => {
      const control = one.closest('label')?.control ?? one.closest(CONTROLS)
      if (!control) return false
      if (control.disabled || takesTab(control)) return true
      const role = control.getAttribute('role')
      const group = control.closest('fieldset, [role=tablist], [role=radiogroup], [role=listbox], [role=grid]')
      const same = control.type === 'radio' ? 'input[type=radio]' : role ? '[role="' + role + '"]' : group?.matches('[role=grid]') && control.localName
      return Boolean(same) && [...group?.querySelectorAll(same) ?? []].some(takesTab)
    }
    return [...document.querySelectorAll('body *')]
      // Its marks stand in the list beside the player too, where the keyboard reaches them.
      .filter((one) => isHand(one) && !isHand(one.parentElement) && isShown(one) && !one.matches('.timeline-mark'))
      .filter((one) => !reached(one))
      .map(nameOf)
  })()`)
}

const MOST_STEPS = 400

/** Presses Tab until the focus is where it began, and returns what it should have reached and did not. */
export async function missedByTab(page: Page): Promise<string[]> {
  await page.evaluate(`(() => {
    // A browser goes on from where the focus was last, or a click: this is before everything.
    const start = document.createElement('span')
    start.tabIndex = -1
    document.body.prepend(start)
    start.focus()
    start.remove()
    window.reached = new Set()
    window.stopWalk?.()
    const note = ({ target }) => window.reached.add(target)
    document.addEventListener('focusin', note)
    window.stopWalk = () => document.removeEventListener('focusin', note)
  })()`)
  for (let step = 0; step < MOST_STEPS; step++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate<string>('document.activeElement.tagName + "." + document.activeElement.className')
    // Past the last control the focus leaves the page, and begins again.
    if (at.startsWith('BODY.')) break
    // In an editor the tab key indents; after Esc it leads on.
    if (at.includes('cm-content')) await page.keyboard.press('Escape')
    if (step === MOST_STEPS - 1) return [`the focus did not leave the page after ${MOST_STEPS} steps`]
  }
  return page.evaluate<string[]>(`(() => {
    ${HELPERS}
    window.stopWalk()
    return [...document.querySelectorAll('body *')]
      .filter((one) => takesTab(one) && inTurn(one) && !window.reached.has(one))
      .filter((one) => !one.matches('[data-base-ui-focus-guard]'))
      .map(nameOf)
  })()`)
}

/** Presses Tab until the focus is there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    if (await target.and(page.locator(':focus')).count()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the tab key does not reach ${target}`)
}
