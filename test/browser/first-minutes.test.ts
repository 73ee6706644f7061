import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  openBrowser,
  settled,
  type TestBrowser,
  visit,
} from '../support/browser.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let browser: TestBrowser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startTestService({ provision: null }), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const firstLine = (pattern: RegExp): string => {
  const found = pattern.exec(service.output())
  if (!found?.[1]) throw new Error(`not in the banner: ${pattern}\n${service.output()}`)
  return found[1]
}

describe('the first minutes with Footfall', () => {
  it('lead from the printed link over the snippet to the first event of the real SDK', async () => {
    const link = firstLine(/(http:\S+sign-in\?token=\S+)/)
    const key = firstLine(/Project API key\s+(phc_\S+)/)
    const { page, context, problems } = await visit(browser)
    await page.goto(link)
    await page.waitForURL('**/project/1/start')
    await settled(page)
    await expect
      .poll(() => page.getByRole('tabpanel').textContent())
      .toContain(`posthog.init('${key}', { api_host: '${service.url}' })`)
    await page.getByText('Waiting for the first event').waitFor()
    await keepScreenshot(page, 'onboarding-waiting')
    expect(await accessibilityProblems(page, 'onboarding')).toEqual([])

    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => overlaps(page)).toEqual([])
    await keepScreenshot(page, 'onboarding-narrow')
    await page.setViewportSize({ width: 1280, height: 860 })

    const snippet = await page.getByRole('figure', { name: 'Send events from Web page' }).locator('pre').textContent()
    await visitCustomerPage(context, snippet ?? '')
    await page.getByText(/^Received:/).waitFor()
    await keepScreenshot(page, 'onboarding-arrived')
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.waitForURL(/\/project\/1$/)
    await settled(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${service.url}/project/1/settings`)
    await page.getByText(key).first().waitFor()
    await expect.poll(() => overlaps(page)).toEqual([])
    await keepScreenshot(page, 'settings-key-narrow')
    expect(problems).toEqual([])
    await context.close()
  })

  it('a link that was used signs nobody in, and says so', async () => {
    const { page, context } = await visit(browser)
    await page.goto(firstLine(/(http:\S+sign-in\?token=\S+)/))
    await page.getByText('This link was already used').waitFor()
    await keepScreenshot(page, 'sign-in-used-link')
    expect(await accessibilityProblems(page, 'sign in')).toEqual([])
    await context.close()
  })

  it('whoever is not signed in is led to the sign-in page', async () => {
    const { page, context } = await visit(browser)
    await page.goto(`${service.url}/project/1/persons`)
    await page.waitForURL('**/sign-in?next=**')
    await context.close()
  })
})

/** Blocks of code whose button lies over their text, in words. */
const overlaps = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.code')].flatMap((block) => {
    const text = block.querySelector('.code-scroll').getBoundingClientRect()
    const button = block.querySelector('button').getBoundingClientRect()
    return button.left < text.right || block.getBoundingClientRect().right > innerWidth ? [block.textContent] : []
  })`)

/** A page of another origin with the snippet in it, as its author would paste it. */
async function visitCustomerPage(context: BrowserContext, snippet: string): Promise<void> {
  // The SDK takes a browser without a window for a robot, and collects events for a while before it sends them.
  const pasted = snippet.replace('{ api_host', '{ request_batching: false, opt_out_useragent_filter: true, api_host')
  const files: Record<string, [type: string, body: string]> = {
    '/': ['text/html', `<!doctype html><title>Shop</title>${pasted}<h1>Shop</h1>`],
  }
  const shop = http.createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', '']
    response.setHeader('content-type', `${type}; charset=utf-8`).end(body)
  })
  await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening))
  const page = await context.newPage()
  const sent = page.waitForResponse((response) => response.url().startsWith(`${service.url}/e/`) && response.ok())
  await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`)
  await sent
  await page.close()
  shop.close()
}
