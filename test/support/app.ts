import type { Page } from 'playwright-core'
import { openBrowser, settled, signIn, type TestBrowser, type Visit, visit } from './browser.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'

/** A service with something in it, and the owner signed in to look at it. Open it in `beforeAll`, close it in `afterAll`. */
export interface App {
  readonly service: TestService
  readonly browser: TestBrowser
  readonly visitor: Visit
  readonly page: Page
  /** Goes to a page of a project and waits until it stands still. */
  open(path: string, project?: number): Promise<void>
  /** The same for a question, as the address carries it. */
  openInsight(draft: object): Promise<void>
  close(): Promise<void>
}

/** `fill` returns when everything it sent is there to be seen. */
export async function openApp(
  fill: (service: TestService) => Promise<void>,
  options: TestServiceOptions = {},
): Promise<App> {
  const service = await startTestService(options)
  let browser: TestBrowser | undefined
  const close = async () => {
    await browser?.close()
    await service.stop()
  }
  try {
    browser = await openBrowser()
    await fill(service)
    const visitor = await visit(browser)
    await signIn(visitor, service.url)
    const { page } = visitor
    const open = async (path: string, project = 1) => {
      await page.goto(`${service.url}/project/${project}/${path}`)
      await settled(page)
    }
    return {
      service,
      browser,
      visitor,
      page,
      open,
      openInsight: (draft) => open(`insights/new?q=${encodeURIComponent(JSON.stringify(draft))}`),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
