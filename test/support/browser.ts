import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Page,
} from 'playwright-core'
import { CHROMIUM } from './chromium.ts'
import { OWNER } from './service.ts'

/** A real Chromium on the web app of a running service. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ARTEFACTS = path.join(ROOT, 'test-artifacts')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What a test file opens in Chromium, and closes together. */
export interface TestBrowser {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

/** One Chromium for all test files of a worker of the test runner, which ends with it. */
let running: Promise<Browser> | undefined

export async function openBrowser(): Promise<TestBrowser> {
  if (!(await running?.catch(() => undefined))?.isConnected()) running = chromium.launch(CHROMIUM)
  const browser = await running
  if (!browser) throw new Error('Chromium did not start')
  const opened: BrowserContext[] = []
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(PATIENCE_MS)
      opened.push(context)
      return context
    },
    async close() {
      await Promise.all(opened.map((context) => context.close()))
    },
  }
}

/** How long a page may take for a step on a machine that has much else to do. */
const PATIENCE_MS = 180_000

export type Theme = 'light' | 'dark'

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** What went wrong on the pages so far: errors of scripts, and answers that are no success. */
  readonly problems: string[]
}

export async function visit(
  browser: TestBrowser,
  { theme = 'light', width = 1280, height = 860 }: { theme?: Theme | 'system'; width?: number; height?: number } = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
  if (theme !== 'system') await context.addInitScript(`localStorage.setItem('footfall.theme', '${theme}')`)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // A failed request is judged by its answer, below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('response', async (response) => {
    if (response.status() < 400) return
    const body = await response.text().catch(() => '')
    problems.push(`${response.status()} ${response.url()} ${body.slice(0, 200)}`)
  })
  return { context, page, problems }
}

export async function signIn({ page }: Visit, url: string): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Email').fill(OWNER.email)
  await page.getByLabel('Password').fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/project/**')
}

/** What still loads, and what shows the answer to the question before. */
const BUSY = '.skeleton, [aria-busy="true"]'

/** A page's content, not only its frame; asked together with the rest, as a page that is still to come is not busy either. */
const SHOWN = ':is(:has(main > :not(.panel, .panel-veil)), :has(#app > .page))'

/** Until the page is there, nothing is being asked and nothing is grey. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  await page.locator(`body${SHOWN}:not(:has(${BUSY}))`).waitFor({ state: 'attached', timeout: PATIENCE_MS })
}

/** For people to look at, in test-artifacts/, when TEST_SCREENSHOTS is set: drawing takes a good part of a browser's time. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.TEST_SCREENSHOTS) return
  mkdirSync(ARTEFACTS, { recursive: true })
  await page.screenshot({ path: path.join(ARTEFACTS, `${name}.png`) })
}

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

const RULES = {
  all: {},
  /** What another theme can break. */
  colours: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
  /** What another width can break. */
  structure: { rules: { 'color-contrast': { enabled: false } } },
} as const

/** Serious violations of the accessibility rules that a machine can check, in words, on a page that stood still. */
export async function accessibilityProblems(
  page: Page,
  where: string,
  rules: keyof typeof RULES = 'all',
): Promise<string[]> {
  for (let attempt = 0; attempt < 20; attempt++) {
    await settled(page)
    const { violations, wasBusy } = await checked(page, rules)
    if (!wasBusy) return violations.filter(isSerious).map((violation) => `${where}: ${inWords(violation)}`)
  }
  return [`${where}: the page asked for something new during each of 20 checks`]
}

/** One run of the rules, and whether anything was busy meanwhile: a dimmed answer has too little contrast by intention. */
async function checked(page: Page, rules: keyof typeof RULES): Promise<{ violations: Violation[]; wasBusy: boolean }> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE)
  // The guards around an open menu or list take no focus themselves: they pass it on to what comes next.
  const exclude = '[data-base-ui-focus-guard]'
  const options = JSON.stringify({ resultTypes: ['violations'], ...RULES[rules] })
  return page.evaluate(`(async () => {
    let wasBusy = false
    const look = () => { wasBusy ||= document.querySelector(${JSON.stringify(BUSY)}) !== null }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, attributes: true })
    look()
    const { violations } = await axe.run({ exclude: [${JSON.stringify(exclude)}] }, ${options})
    look()
    observer.disconnect()
    return { violations, wasBusy }
  })()`)
}

const isSerious = ({ impact }: Violation): boolean => impact === 'serious' || impact === 'critical'

const inWords = ({ id, nodes }: Violation): string =>
  `${id}: ${nodes
    .slice(0, 3)
    .map(({ target, failureSummary }) => `${target}: ${failureSummary}`)
    .join(' | ')}`

/** What was downloaded. */
export async function textOf(download: Download): Promise<string> {
  return text(await download.createReadStream())
}
